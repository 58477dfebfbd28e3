// Package route knows which queues a topic has and where its brokers are: the answers of
// name servers, checked, bounded and kept until a newer one replaces them.
//
// A Table is plain state without a goroutine, lock or clock; client.Instance owns one and
// guards it with its mutex. Topics handed out never change. Its Java counterparts are
// topicRouteTable, brokerAddrTable and the find methods of MQClientInstance and
// TopicRouteData. Asking name servers and telling consumers what changed is left to package
// client, choosing queues for members to package rebalance.
package route
