// Package client is one client instance: the name servers it asks, the routes it keeps, the
// heartbeats it sends, a typed call for each request a consumer makes, the requests that
// brokers send to it, and a small producer.
//
// An Instance owns its connections (remoting.Client) and its route table and guards them
// with one mutex; whoever makes it runs Run and ends it by ending the context. Consumer
// groups register with it and are told by events what changed; it decides nothing for them.
// Its Java counterparts are MQClientInstance, MQClientAPIImpl, MQAdminImpl,
// ClientRemotingProcessor and the sending part of DefaultMQProducerImpl. Frames and
// connections are left to package remoting, what bytes mean to protocol, what follows from a
// route, a member list or an answer to the parts of the consumer.
package client
