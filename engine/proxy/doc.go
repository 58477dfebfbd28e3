// Package proxy stands between anybody's RocketMQ clients and their cluster, and watches.
//
// A client is pointed at a Proxy as its name server. What the name server answers is passed on
// but for the addresses of brokers: each becomes one that the proxy listens on itself, made the
// first time it is named, so that everything the client sends to brokers comes through here as
// well. All other bytes go through as they are, in order, and a side that reads slowly, closes
// half of a connection or resets it is felt by the other as if nothing stood between. A broker
// that can not be reached looks like one that resets the connection.
//
// # Addresses that are rewritten
//
// Only in answers with code 0 to these requests, and there only what stands at these places:
//
//	105 GET_ROUTEINFO_BY_TOPIC              brokerDatas[].brokerAddrs.*, and names and values of
//	                                        filterServerTable
//	106 GET_BROKER_CLUSTER_INFO             brokerAddrTable.*.brokerAddrs.*
//	901 GET_BROKER_MEMBER_GROUP             brokerMemberGroup.brokerAddrs.*
//	304 GET_SYSTEM_TOPIC_LIST_FROM_NS, 206, 224, 305, 311, 312, 313 (lists of topics), 343
//	QUERY_TOPICS_BY_CONSUMER, 317 GET_BROKER_CONSUME_STATS    brokerAddr
//
// Both masters and slaves are meant: every broker id. A body keeps every other byte, whether its
// keys are quoted or not, and whatever stands between them; one that can not be read is passed on
// as it is, and said. The answer to QUERY_ASSIGNMENT (400) and pull answers name brokers by name
// or id, not by address.
//
// # Addresses that are not rewritten
//
// Those in offset message ids and in the storeHost of messages: a tool that looks a message up by
// its offset id (33) asks the broker itself. Those that brokers tell each other or controllers
// (haServerAddr and masterAddr of 103, 1001 to 1018, 907), and those in texts: remarks,
// configuration (26, 319), runtime values. A broker sees the proxy as the client: clientAddr (203),
// remoteIP (328), born hosts and rules for source addresses are about the proxy's address. A
// message's bornHost is written by the broker.
//
// # VIP channel
//
// A Java client with its VIP channel on connects to the port two below the one it was told. So
// each broker has two listeners here, whose ports lie two apart and lead to the two of the broker.
//
// # Name servers
//
// One of them is asked for each connection, the one that was reached last, the others when it can
// not be reached. A tool that writes KV configuration to all name servers thus writes to one.
//
// # TLS
//
// What begins like TLS, or is not remoting for another reason, is passed on blindly, both ways:
// the client works as without a proxy, but goes to the brokers directly, as nothing in its routes
// can be rewritten, and nothing of it is recorded but a note. OnNotice says so.
//
// # What is watched
//
// The goroutines that carry bytes hand them to the observer without copying, through a queue of
// bounded size; when it is full the bytes are counted and become a marked gap, and the client
// waits for nothing. The observer (one goroutine) lets things gather for 25 ms, or until a quarter
// of the queue is full; then it has package capture read them and package infer conclude what
// happened, and the Sink gets the events, with the times at which bytes were read. Bodies are not
// kept, and what signs requests is taken out as they are read.
//
// # What it costs
//
// Most of it is work of the system: each byte is received and sent once more, and a thread sleeps
// and is woken for each request and each answer. A relay that only copies costs as much, or more,
// see BenchmarkApacheCatchUp: on Linux Go's scheduler is not told of reads and writes of sockets
// here (socket_linux.go). Each wait begins with a read that finds nothing. That can not be left
// out: Go's poller tells but once of bytes and of the end, or the reset, behind them, and only
// another read finds out which it was.
//
// # Who owns what
//
// Run owns all goroutines: one for each listener, two for each connection, the observer, and one
// that closes listeners that no answer has named, and no client used, for ten minutes. A connection
// holds a buffer each way of 4 to 64 KiB, by what it reads at a time, and one answer that is
// rewritten. There is no Java counterpart.
package proxy
