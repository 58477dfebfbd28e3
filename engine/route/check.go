package route

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mqscope/engine/protocol"
)

// Limits bound what an answer of a name server may make us hold. A zero field means its
// default.
type Limits struct {
	QueuesPerTopic  int // readable and writable ones each, default 4,096
	Brokers         int // broker names in one route, default 1,024
	AddrsPerBroker  int // default 64
	BrokerNameBytes int // default 255
	// Policy says why a host may not be connected to; nil stands for DefaultPolicy.
	Policy func(host string) error
}

func (l Limits) withDefaults() Limits {
	set := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	set(&l.QueuesPerTopic, protocol.MaxQueuesPerTopic)
	set(&l.Brokers, protocol.MaxBrokers)
	set(&l.AddrsPerBroker, 64)
	set(&l.BrokerNameBytes, 255)
	if l.Policy == nil {
		l.Policy = DefaultPolicy
	}
	return l
}

// RejectedError says why a route was not taken at all; the route known before stays.
type RejectedError struct {
	Topic string
	Why   string
}

// Error names the topic and the reason.
func (e *RejectedError) Error() string {
	return fmt.Sprintf("route of topic %s rejected: %s", e.Topic, e.Why)
}

// New checks what a name server said of topic and returns it in a fixed order. A route that
// breaks a limit, names no broker or has a name that cannot be one is a *RejectedError. A
// single address that is malformed or against the policy is left out and listed as refused:
// the queues of its broker stay, as every member of a group must see the same ones.
func New(topic string, data *protocol.TopicRouteData, limits Limits) (*Topic, error) {
	l := limits.withDefaults()
	t := &Topic{Name: topic}
	if err := t.takeBrokers(data, l); err != nil {
		return nil, err
	}
	if err := t.takeQueues(data, l); err != nil {
		return nil, err
	}
	t.list()
	return t, nil
}

func (t *Topic) reject(format string, args ...any) error {
	return &RejectedError{Topic: t.Name, Why: fmt.Sprintf(format, args...)}
}

func (t *Topic) takeBrokers(data *protocol.TopicRouteData, l Limits) error {
	switch n := len(data.BrokerDatas); {
	case len(data.TopicQueueMappingByBroker) > 0:
		return t.reject("it is a static topic (its queues are mapped to others), which is not supported")
	case n == 0:
		return t.reject("it names no broker")
	case n > l.Brokers:
		return t.reject("it names %d brokers, at most %d are allowed", n, l.Brokers)
	}
	for _, d := range data.BrokerDatas {
		if why := badName(d.BrokerName, l.BrokerNameBytes); why != "" {
			return t.reject("broker name %s", why)
		}
		if n := len(d.Addrs); n > l.AddrsPerBroker {
			return t.reject("broker %s has %d addresses, at most %d are allowed", d.BrokerName, n, l.AddrsPerBroker)
		}
		t.Brokers = append(t.Brokers, newBroker(d, l))
	}
	slices.SortStableFunc(t.Brokers, func(a, b Broker) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(t.Brokers); i++ {
		if t.Brokers[i].Name == t.Brokers[i-1].Name {
			return t.reject("broker %s is named twice", t.Brokers[i].Name)
		}
	}
	return nil
}

func newBroker(d protocol.BrokerData, l Limits) Broker {
	b := Broker{Name: d.BrokerName, Cluster: d.Cluster, Addrs: make(map[int64]string, len(d.Addrs))}
	for id, addr := range d.Addrs {
		normal, err := NormalAddr(addr)
		if err == nil {
			var host string
			if host, _, err = SplitAddr(addr); err == nil {
				err = l.Policy(host)
			}
		}
		if id < 0 {
			err = fmt.Errorf("the broker id %d is negative", id)
		}
		if err != nil {
			b.Refused = append(b.Refused, Refusal{b.Name, id, addr, err.Error()})
			continue
		}
		b.Addrs[id] = normal
	}
	slices.SortFunc(b.Refused, func(x, y Refusal) int { return cmp.Compare(x.ID, y.ID) })
	return b
}

func (t *Topic) takeQueues(data *protocol.TopicRouteData, l Limits) error {
	if n := len(data.QueueDatas); n > l.Brokers {
		return t.reject("it has queues on %d brokers, at most %d are allowed", n, l.Brokers)
	}
	var read, write int64
	for _, d := range data.QueueDatas {
		if why := badName(d.BrokerName, l.BrokerNameBytes); why != "" {
			return t.reject("broker name %s", why)
		}
		if d.ReadQueueNums < 0 || d.WriteQueueNums < 0 {
			return t.reject("broker %s has %d read and %d write queues", d.BrokerName, d.ReadQueueNums, d.WriteQueueNums)
		}
		read += int64(d.ReadQueueNums)
		write += int64(d.WriteQueueNums)
		t.Queues = append(t.Queues, Queues{d.BrokerName, d.ReadQueueNums, d.WriteQueueNums, d.Perm})
	}
	if n := max(read, write); n > int64(l.QueuesPerTopic) {
		return t.reject("it has %d queues, at most %d are allowed", n, l.QueuesPerTopic)
	}
	slices.SortStableFunc(t.Queues, func(a, b Queues) int { return strings.Compare(a.BrokerName, b.BrokerName) })
	for i := 1; i < len(t.Queues); i++ {
		if t.Queues[i].BrokerName == t.Queues[i-1].BrokerName {
			return t.reject("the queues of broker %s are given twice", t.Queues[i].BrokerName)
		}
	}
	return nil
}

// badName says why name cannot be a broker's: it becomes part of log lines, screens and
// file names.
func badName(name string, limit int) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "is blank"
	case len(name) > limit:
		return fmt.Sprintf("is %d bytes long, at most %d are allowed", len(name), limit)
	case !utf8.ValidString(name):
		return fmt.Sprintf("%q is no UTF-8 text", name)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Sprintf("%q has the character %U", name, r)
		}
	}
	return ""
}
