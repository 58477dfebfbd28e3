package consumer

import (
	"slices"
	"strings"

	"mqscope/engine/snapshot"
)

// trendPoints is how many points of a topic's lag are kept, one each five seconds.
const trendPoints = 12

// topicTrend is the lag of one topic over the last minute.
type topicTrend struct{ lag []float64 }

func (t *topicTrend) add(lag float64) {
	if len(t.lag) == trendPoints {
		t.lag = append(t.lag[:0:0], t.lag[1:]...)
	}
	t.lag = append(t.lag, lag)
}

// pictureTopics sums the queues of each topic that are ours.
func (m *membership) pictureTopics(queues []snapshot.Queue) []snapshot.Topic {
	byName := map[string]*snapshot.Topic{}
	for _, sub := range m.subs.topics() {
		t := &snapshot.Topic{Name: sub}
		t.AllottedBy, t.AllotNote = m.rebalance.AllottedBy(sub)
		if all, ok := m.routeQueues(sub); ok {
			t.All = snapshot.Of(len(all), m.builtAt)
		} else {
			t.All.Reason = "no route yet"
		}
		if trend := m.topics[sub]; trend != nil {
			t.LagTrend = slices.Clone(trend.lag)
		}
		byName[sub] = t
	}
	for i := range queues {
		q := &queues[i]
		t := byName[q.ID.Topic]
		if t == nil || q.State == snapshot.NotOwned {
			continue
		}
		t.Queues++
		t.Worst = max(t.Worst, q.Mark)
		addRate(&t.InRate, q.InRate)
		addRate(&t.OutRate, q.OutRate)
		if !q.Lag.OK() {
			t.LagMissing++
			continue
		}
		t.Lag = snapshot.Of(t.Lag.V+q.Lag.V, q.Lag.At)
	}
	out := make([]snapshot.Topic, 0, len(byName))
	for _, t := range byName {
		if t.Queues == 0 {
			t.Lag.Reason = "no queue of it is ours"
		}
		out = append(out, *t)
	}
	slices.SortFunc(out, func(a, b snapshot.Topic) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func addRate(sum *snapshot.Val[float64], v snapshot.Val[float64]) {
	if v.OK() {
		*sum = snapshot.Of(sum.V+v.V, v.At)
	}
}
