// Package event has what goes into a consumer's loop, one small struct each, and Entry, a
// thing worth telling a person.
//
// Events are facts that happened: answers of brokers, wake-ups, commands. The loop takes
// them one at a time, in one order, and that order is all a part may depend on. The package
// owns nothing. In the Java client the same facts are callbacks, timer runs and notifications
// spread over the threads of MQClientInstance and DefaultMQPushConsumerImpl.
package event

// Event is any struct of this package that a part's Step accepts.
type Event any
