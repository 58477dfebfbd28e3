// Package protocol turns what RocketMQ says into Go values and back: request and response
// codes, the ext fields of every command, the JSON bodies, subscriptions, message ids and
// the layout of stored messages.
//
// It owns no state and runs nothing; values only, and safe for any number of goroutines.
// Everything it reads is taken for hostile: each length is checked before it is used, and
// what can not be read is an error of a type that says where (FieldError, BodyError,
// RecordError). Its Java counterparts are rocketmq-remoting's protocol package and
// MessageDecoder, MessageExtEncoder and UtilAll of rocketmq-common and rocketmq-store.
//
// Frames, connections and the two header encodings are left to package remoting, the nouns
// to package mq.
package protocol
