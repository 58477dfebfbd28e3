// Package embedded is a RocketMQ name server and brokers inside this process, for the demo,
// for tests and as the server of benchmarks.
//
// State is the machine: tables of the name server and of each broker, told the time, one
// request after the other. A Cluster is the shell around it: one loop owns the State,
// connections of package remoting only read and write, long polls are parked in the State.
// Each request code has a file that begins with its contract: fields, behaviour, and what
// is left out on purpose. Everything is kept in memory; a stopped broker keeps its topics,
// groups, offsets and messages, and loses what a real one loses.
//
// Java counterparts: NamesrvController, BrokerController and their processors. Storing is
// left to embedded/store, the wire to remoting and protocol. Not here: TLS, ACL, slaves and
// controllers, transactions, SQL92 filters, timer and reply messages, POP, static topics, the
// fast port, changes of the broker's configuration; requests for these are answered as a
// broker does that has them switched off, or with code 3.
package embedded
