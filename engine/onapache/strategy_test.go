package onapache_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/mq"
	"mqscope/engine/rebalance"
	"mqscope/engine/snapshot"
)

// inRooms finds rooms as Strategies.java does: before the @ of a broker's name and before the ~
// of a client's id; home where there is no such mark.
type inRooms struct{}

func (inRooms) BrokerRoom(q mq.MessageQueue) string { return roomBefore(q.BrokerName, "@") }
func (inRooms) ClientRoom(id string) string         { return roomBefore(id, "~") }

func roomBefore(name, mark string) string {
	if room, _, ok := strings.Cut(name, mark); ok {
		return room
	}
	return "home"
}

// split is a topic on two brokers in two rooms, which three members share by each strategy.
type split struct {
	t       *testing.T
	name    string
	ours    string // client id of our member; Java's have one for each strategy
	brokers []string
	rooms   []string
	given   map[string][]string // what CONFIG gives each member: broker:id
}

func (s *split) queues(strategy string) (all []mq.MessageQueue) {
	for _, b := range s.brokers {
		for id := range int32(5) {
			all = append(all, mq.MessageQueue{Topic: apachetest.Of(s.name, strategy), BrokerName: b, QueueID: id})
		}
	}
	slices.SortFunc(all, mq.MessageQueue.Compare)
	return all
}

// config is what CONFIG gives a member, as Apache's member prints queues.
func (s *split) config(member string) (list []string) {
	for _, q := range s.given[member] {
		list = append(list, apachetest.Of(s.name, "CONFIG")+"@"+q)
	}
	slices.Sort(list)
	return list
}

// strategy is ours as member has it.
func (s *split) strategy(name, member string) rebalance.Strategy {
	s.t.Helper()
	var mine []mq.MessageQueue
	for _, q := range s.queues("CONFIG") {
		if slices.Contains(s.config(member), printed(q)) {
			mine = append(mine, q)
		}
	}
	strategy, err := rebalance.StrategyByName(name, rebalance.StrategyOptions{Queues: mine, Rooms: s.rooms, Resolver: inRooms{}})
	if err != nil {
		s.t.Fatal(err)
	}
	return strategy
}

// says is what strategy gives each of the members.
func (s *split) says(strategy string, members []string) map[string][]string {
	s.t.Helper()
	all := map[string][]string{}
	var ids []string
	for _, m := range members {
		ids = append(ids, s.clientID(m, strategy))
	}
	slices.SortFunc(ids, mq.CompareJava)
	for _, m := range members {
		queues, err := s.strategy(strategy, m).Allocate(s.clientID(m, strategy), s.queues(strategy), ids)
		if err != nil {
			s.t.Fatalf("%s for %s: %v", strategy, m, err)
		}
		for _, q := range queues {
			all[m] = append(all[m], printed(q))
		}
		slices.Sort(all[m])
	}
	return all
}

// clientID is that of a member in the group of a strategy.
func (s *split) clientID(member, strategy string) string {
	if member == s.ours {
		return member
	}
	return member + "-" + strategy
}

// printed is a queue as Apache's member prints it.
func printed(q mq.MessageQueue) string {
	return fmt.Sprintf("%s@%s:%d", q.Topic, q.BrokerName, q.QueueID)
}

// TestApacheMembersSplitByEachStrategy has two Java members and one of ours share the queues of
// two brokers by each of the six strategies: what each says it owns is what our strategy
// gives it, each queue has one owner, and those without one are those of no room. When a Java
// member leaves, the others share anew.
func TestApacheMembersSplitByEachStrategy(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	east, err := c.AddBroker(ctx, "east@broker-b")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := east.Kill(); err != nil {
			t.Error(err)
		}
	})
	const ours, home, away = "127.0.0.1@split", "127.0.0.2@java", "east~127.0.0.3@java"
	s := &split{
		t: t, name: "mqscope_by", ours: ours, brokers: []string{c.BrokerName, east.Name}, rooms: []string{"east"},
		given: map[string][]string{
			ours: {"broker-a:0", "broker-a:3", "east@broker-b:0"}, home: {"broker-a:1", "east@broker-b:4"},
			away: {"broker-a:2", "broker-a:4", "east@broker-b:1", "east@broker-b:2", "east@broker-b:3"},
		},
	}
	names := rebalance.StrategyNames()
	for _, name := range names {
		topic := apachetest.Of(s.name, name)
		for _, create := range []func(context.Context, string, int) error{c.CreateTopic, east.CreateTopic} {
			if err := create(ctx, topic, 5); err != nil {
				t.Fatal(err)
			}
		}
	}
	java := map[string]*apachetest.JavaConsumer{}
	for _, id := range []string{home, away} {
		j, err := c.JavaConsumer(ctx, apachetest.Member{
			Group: s.name, Topic: s.name, ID: id, Strategies: names, Queues: s.config(id), Rooms: s.rooms,
		})
		if err != nil {
			t.Fatal(err)
		}
		java[id] = j
	}
	mine := map[string]*ourMember{}
	for _, name := range names {
		group := apachetest.Of(s.name, name)
		mine[name] = joinApache(t, c, group, group, ours, success, func(c *engine.Config) {
			c.Consumer.Strategy = s.strategy(name, ours)
		})
	}
	s.wantEach(ctx, names, mine, java)

	if _, err := java[away].Close(ctx); err != nil {
		t.Error(err)
	}
	delete(java, away)
	s.wantEach(ctx, names, mine, java)
	if _, err := java[home].Close(ctx); err != nil {
		t.Error(err)
	}
}

// wantEach waits until each member has, of each topic, what its strategy gives it.
func (s *split) wantEach(ctx context.Context, names []string, mine map[string]*ourMember, java map[string]*apachetest.JavaConsumer) {
	s.t.Helper()
	members := append(slices.Collect(maps.Keys(java)), s.ours)
	of := map[string][]string{} // all queues of each Java member
	for _, name := range names {
		want := s.says(name, members)
		s.wantWhole(name, want)
		topic := apachetest.Of(s.name, name)
		mine[name].until(fmt.Sprintf("%v by %s among %v", want[s.ours], name, members), func(p *snapshot.Snapshot) bool {
			return slices.Equal(ownedOf(p, topic), want[s.ours])
		})
		for id := range java {
			of[id] = append(of[id], want[id]...)
		}
	}
	for id, j := range java {
		want := slices.Sorted(slices.Values(of[id]))
		if _, err := j.Wait(ctx, func(s apachetest.Seen) bool { return slices.Equal(s.Queues, want) }); err != nil {
			s.t.Errorf("the Java member %s should own %v: %v", id, want, err)
		}
	}
}

// wantWhole checks that a split gives each queue that may be consumed to one member.
func (s *split) wantWhole(name string, split map[string][]string) {
	s.t.Helper()
	owners := map[string]string{}
	for member, queues := range split {
		for _, q := range queues {
			if other, taken := owners[q]; taken {
				s.t.Errorf("%s gives %s to %s and to %s", name, q, other, member)
			}
			owners[q] = member
		}
	}
	for _, q := range s.queues(name) {
		if _, owned := owners[printed(q)]; owned == s.free(name, q, split) {
			s.t.Errorf("%s: %s has an owner: %v", name, printed(q), owned)
		}
	}
}

// free tells whether a queue is for none of the members: it is in another room, or was given to
// somebody who has left.
func (s *split) free(name string, q mq.MessageQueue, members map[string][]string) bool {
	switch name {
	case "MACHINE_ROOM":
		return !slices.Contains(s.rooms, inRooms{}.BrokerRoom(q))
	case "CONFIG":
		for m := range members {
			if slices.Contains(s.config(m), printed(q)) {
				return false
			}
		}
		return true
	}
	return false
}
