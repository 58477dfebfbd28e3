package picture

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// trendLong is how many points the trend of a topic has.
const trendLong = 12

// topics sums the queues of each topic.
func (d *drawing) topics(p *snapshot.Snapshot) []snapshot.Topic {
	byName := map[string]*snapshot.Topic{}
	add := func(name string) *snapshot.Topic {
		t := byName[name]
		if t == nil {
			t = &snapshot.Topic{Name: name}
			t.All.Reason = "its route was not seen"
			if r, ok := d.s.Routes[name]; ok && r.Known {
				t.All = snapshot.Of(len(r.Queues), r.At)
			}
			switch {
			case d.broadcast:
				t.AllottedBy = "all"
			case d.g.topics[name]:
				t.AllottedBy = "broker"
			}
			byName[name] = t
		}
		return t
	}
	for _, sub := range p.Group.Subscriptions {
		add(sub.Topic)
	}
	for i := range p.Queues {
		q := &p.Queues[i]
		t := add(q.ID.Topic)
		if !p.Counts(q) {
			continue
		}
		if q.State != snapshot.Unpulled && q.ID.QueueID >= 0 {
			t.Queues++
		}
		t.Worst = max(t.Worst, q.Mark)
		addRate(&t.InRate, q.InRate)
		addRate(&t.OutRate, q.OutRate)
		switch {
		case q.Lag.State == snapshot.NotApplicable:
			t.Lag = snapshot.NA[int64]()
		case !q.Lag.OK():
			t.LagMissing++
			t.Lag.Reason = cmp.Or(t.Lag.Reason, q.Lag.Reason)
		default:
			t.Lag = snapshot.Of(t.Lag.V+q.Lag.V, q.Lag.At)
		}
		d.trend(t, q.ID)
	}
	out := make([]snapshot.Topic, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, *byName[name])
	}
	return out
}

func addRate(sum *snapshot.Val[float64], v snapshot.Val[float64]) {
	if v.OK() {
		*sum = snapshot.Of(sum.V+v.V, v.At)
	} else if sum.Reason == "" {
		sum.Reason = v.Reason
	}
}

// trend adds the lag of a queue over the last minute.
func (d *drawing) trend(t *snapshot.Topic, id mq.MessageQueue) {
	q := d.g.queues[id]
	if q == nil || q.detail == nil {
		return
	}
	h := &q.detail.history
	last := h.points[max(len(h.points)-trendLong, 0):]
	if over := len(last) - len(t.LagTrend); over > 0 {
		t.LagTrend = append(make([]float64, over), t.LagTrend...)
	}
	for i, p := range last {
		if !math.IsNaN(float64(p.Lag)) {
			t.LagTrend[len(t.LagTrend)-len(last)+i] += float64(p.Lag)
		}
	}
}

// cluster is the brokers that routes and queues name, and the name servers that answered.
func (d *drawing) cluster(p *snapshot.Snapshot) snapshot.Cluster {
	var out snapshot.Cluster
	for _, addr := range slices.Sorted(maps.Keys(d.m.servers)) {
		if v := d.m.servers[addr]; v.Names && len(out.NameServers) < 64 {
			out.NameServers = append(out.NameServers, snapshot.Endpoint{Addr: addr, Up: v.Open > 0})
		}
	}
	byName := map[string]*snapshot.Broker{}
	rates := map[string][2]snapshot.Val[float64]{}
	for i := range p.Queues {
		q := &p.Queues[i]
		if byName[q.ID.BrokerName] == nil {
			byName[q.ID.BrokerName] = &snapshot.Broker{Name: q.ID.BrokerName}
		}
		if p.Counts(q) {
			r := rates[q.ID.BrokerName]
			addRate(&r[0], q.InRate)
			addRate(&r[1], q.OutRate)
			rates[q.ID.BrokerName] = r
		}
	}
	for topic, r := range d.s.Routes {
		for _, b := range r.Brokers {
			v := byName[b.Name]
			if v == nil && d.wanted[topic] {
				v = &snapshot.Broker{Name: b.Name}
				byName[b.Name] = v
			}
			if v != nil {
				address(v, b)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		b := byName[name]
		d.broker(b)
		b.InRate, b.OutRate = rates[name][0], rates[name][1]
		out.Brokers = append(out.Brokers, *b)
	}
	return out
}

// address takes an address of a broker: that of the master, else the first.
func address(v *snapshot.Broker, b infer.Broker) {
	master := b.ID == 0
	if v.Addr == "" || master && !v.Master || master == v.Master && strings.Compare(b.Addr, v.Addr) < 0 {
		v.Addr, v.Master = b.Addr, master
	}
}

// broker fills in what traffic told of the broker's address.
func (d *drawing) broker(b *snapshot.Broker) {
	b.Version.Reason, b.LastHeartbeat.Reason = "heartbeat answers are not read", "no heartbeat of the group was answered"
	if b.Addr == "" {
		b.Addr = d.addressOf(b.Name)
	}
	if v := d.m.servers[b.Addr]; v != nil {
		b.Up = v.Open > 0
	}
	if at, ok := d.g.beats[b.Addr]; ok {
		b.LastHeartbeat = snapshot.Of(at, at)
	}
	if s := d.g.brokers[b.Name]; s != nil {
		b.RoundTrip = s.picture(d.at).Total
	}
}

// addressOf is the address of a broker that no route named: its registration may have, or its
// name is an address.
func (d *drawing) addressOf(name string) string {
	if d.m.servers[name] != nil {
		return name
	}
	best := ""
	for addr, n := range d.s.Brokers {
		if n == name && (best == "" || addr < best) {
			best = addr
		}
	}
	return best
}
