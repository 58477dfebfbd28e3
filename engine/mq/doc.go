// Package mq has the nouns of RocketMQ that every other package speaks: message queues,
// messages, topic and group names, message models.
//
// It owns no state and runs nothing: values only. Its Java counterparts are
// MessageQueue, MessageExt, MixAll, KeyBuilder and Validators of rocketmq-common and
// rocketmq-client. How bytes become these values is left to package protocol.
package mq
