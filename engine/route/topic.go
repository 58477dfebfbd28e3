package route

import (
	"maps"
	"slices"
	"strings"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// Queues says how many queues of a topic one broker has and what may be done with them.
type Queues struct {
	BrokerName  string
	Read, Write int32 // numbers of queues, 0 and up
	Perm        int32
}

// Broker is one broker name and the addresses of its replicas by broker id; 0 is the master.
type Broker struct {
	Name, Cluster string
	Addrs         map[int64]string
	// Refused has the addresses that were not taken, with the reason.
	Refused []Refusal
}

// Refusal is an address that a route names but that is not used.
type Refusal struct {
	BrokerName string
	ID         int64
	Addr       string // as the name server sent it: untrusted text
	Why        string
}

// Topic is the checked route of one topic. It is never changed.
type Topic struct {
	Name    string
	Queues  []Queues // sorted by broker name
	Brokers []Broker // sorted by name

	readable, writable []mq.MessageQueue
}

// Readable returns the queues that consumers share, sorted: of each broker with read
// permission 0 to Read-1, whether or not an address of it is known, since every member of a
// group must see the same set (Java: topicRouteData2TopicSubscribeInfo). It must not be
// changed.
func (t *Topic) Readable() []mq.MessageQueue { return t.readable }

// Writable returns the queues that may be sent to, sorted: of each broker with write
// permission and a master 0 to Write-1 (Java: topicRouteData2TopicPublishInfo).
func (t *Topic) Writable() []mq.MessageQueue { return t.writable }

// Broker returns the broker of that name.
func (t *Topic) Broker(name string) (Broker, bool) {
	i, ok := slices.BinarySearchFunc(t.Brokers, name, func(b Broker, name string) int {
		return strings.Compare(b.Name, name)
	})
	if !ok {
		return Broker{}, false
	}
	return t.Brokers[i], true
}

// list fills the queue sets.
func (t *Topic) list() {
	for _, q := range t.Queues {
		if q.Perm&protocol.PermRead != 0 {
			t.readable = appendQueues(t.readable, t.Name, q.BrokerName, q.Read)
		}
		if q.Perm&protocol.PermWrite == 0 {
			continue
		}
		if b, ok := t.Broker(q.BrokerName); ok && b.Addrs[mq.MasterID] != "" {
			t.writable = appendQueues(t.writable, t.Name, q.BrokerName, q.Write)
		}
	}
	slices.SortFunc(t.readable, mq.MessageQueue.Compare)
	slices.SortFunc(t.writable, mq.MessageQueue.Compare)
}

func appendQueues(to []mq.MessageQueue, topic, broker string, n int32) []mq.MessageQueue {
	for id := range n {
		to = append(to, mq.MessageQueue{Topic: topic, BrokerName: broker, QueueID: id})
	}
	return to
}

func (t *Topic) equal(o *Topic) bool {
	return slices.Equal(t.Queues, o.Queues) && slices.EqualFunc(t.Brokers, o.Brokers, Broker.equal)
}

func (b Broker) equal(o Broker) bool {
	return b.Name == o.Name && b.Cluster == o.Cluster && maps.Equal(b.Addrs, o.Addrs) &&
		slices.Equal(b.Refused, o.Refused)
}
