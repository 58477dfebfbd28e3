package consumer

import (
	"time"

	"mqscope/engine/client"
	"mqscope/engine/snapshot"
)

// traffic sums what is known of the queues on one broker.
type traffic struct {
	roundTrip snapshot.Histogram
	held      uint64
	in, out   float64
	unknown   bool // the rates of some queue are
}

func (m *membership) pictureCluster(now time.Time) snapshot.Cluster {
	sums := map[string]*traffic{}
	for _, q := range m.order {
		t := sums[q.BrokerName]
		if t == nil {
			t = &traffic{}
			sums[q.BrokerName] = t
		}
		o := m.queues[q]
		in, out := o.rates.perSecond()
		t.roundTrip.Merge(&o.roundTrip)
		t.held += o.held
		t.in, t.out, t.unknown = t.in+in.V, t.out+out.V, t.unknown || !in.OK() || !out.OK()
	}
	instance := m.instance()
	c := snapshot.Cluster{NameServers: instance.NameServers}
	for _, state := range instance.Brokers {
		b := pictureBroker(state)
		if t := sums[b.Name]; t != nil {
			b.RoundTrip = t.roundTrip.Summary(t.held)
			if !t.unknown {
				b.InRate, b.OutRate = snapshot.Of(t.in, now), snapshot.Of(t.out, now)
			}
		}
		c.Brokers = append(c.Brokers, b)
	}
	return c
}

func pictureBroker(s client.BrokerState) snapshot.Broker {
	b := snapshot.Broker{Name: s.Name, Addr: s.Addr, Master: s.Master, Up: s.Up, RetryAt: s.RetryAt}
	switch {
	case s.Err != nil:
		b.Err = s.Err.Error()
	case s.HeartbeatErr != nil:
		b.Err = "heartbeat: " + s.HeartbeatErr.Error()
	}
	b.Version.Reason, b.LastHeartbeat.Reason = "no heartbeat answered yet", "no heartbeat answered yet"
	if !s.LastHeartbeat.IsZero() {
		b.Version = snapshot.Of(s.Version, s.LastHeartbeat)
		b.LastHeartbeat = snapshot.Of(s.LastHeartbeat, s.LastHeartbeat)
	}
	return b
}

// withoutBrokers says that a running source fails while none of its brokers is reachable.
func withoutBrokers(src snapshot.Source, brokers []snapshot.Broker) snapshot.Source {
	if src.State != snapshot.Running || len(brokers) == 0 {
		return src
	}
	for _, b := range brokers {
		if b.Up {
			return src
		}
	}
	src.State, src.Err, src.RetryAt = snapshot.Failing, "no broker is reachable: "+brokers[0].Err, brokers[0].RetryAt
	return src
}
