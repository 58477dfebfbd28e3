package rebalance

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func brokerSided(c *Config) { c.BrokerSide = true }

// given is an answer of the broker with these queues of t.
func given(ids ...int32) event.AssignmentRead {
	e := event.AssignmentRead{Topic: "t", Known: true, Members: us}
	for _, id := range ids {
		e.Queues = append(e.Queues, q(id))
	}
	return e
}

func failed(how event.AssignmentFailure) event.AssignmentRead {
	return event.AssignmentRead{Topic: "t", Err: errBoom, Failure: how}
}

const (
	asksMembers = "; members do, by AVG, until the topic is unsubscribed\nlist t"
	tookTwo     = `
		drain t
		info t: +2 -0 queues, by the broker, told AVG
		announce t
		read 0 #1 committed
		read 3 #2 committed`
)

func TestBrokerSide(t *testing.T) {
	silent, refused := failed(event.AssignmentTimeout), failed(event.AssignmentRefused)
	popped := given(0)
	popped.Queues, popped.Pop = nil, true
	unknown := event.AssignmentRead{Topic: "t"}
	const warnUnknown = "warn t: the broker has no assignment: it knows no member of the group, or not the topic's route: keeps 2 queues\nannounce t"
	tests := []struct {
		name   string
		script []step
		who    string // allots afterwards
	}{
		{"what the broker gives is taken, whatever the strategy would say", []step{
			{0, route(4), ""},
			{0, wanted(), "query t 1s"},
			{0, given(3, 0, 0), tookTwo},
			{20 * time.Second, event.Tick{}, "query t 3s"},
			{20 * time.Second, given(0, 3), "drain t"},
		}, "broker"},
		{"a broker that does not know the request leaves it to members, in the same pass", []step{
			{0, route(2), ""},
			{0, wanted(), "query t 1s"},
			{0, refused, "warn t: the broker does not allot: connection refused" + asksMembers},
			{0, listed(us...), "info t: +1 -0 queues, AVG over 2 members\n announce t\n read 0 #1 committed"},
			{20 * time.Second, event.Tick{}, "list t"},
		}, "AVG"},
		{"three timeouts, each longer, leave it to members", []step{
			{0, route(2), ""},
			{0, wanted(), "query t 1s"},
			{time.Second, silent, "query t 2s"},
			{3 * time.Second, silent, "query t 3s"},
			{6 * time.Second, silent, "warn t: the broker did not answer 3 questions for an assignment: connection refused" + asksMembers},
			{6 * time.Second, listed(us...), "info t: +1 -0 queues, AVG over 2 members\n announce t\n read 0 #1 committed"},
		}, "AVG"},
		{"an answer after a timeout decides for the broker", []step{
			{0, route(4), ""},
			{0, wanted(), "query t 1s"},
			{time.Second, silent, "query t 2s"},
			{2 * time.Second, given(0, 3), tookTwo},
		}, "broker"},
		{"a broker that can not be reached decides nothing", []step{
			{0, route(4), ""},
			{0, wanted(), "query t 1s"},
			{0, failed(event.AssignmentUnreached), "warn t: assignment unknown: connection refused: keeps 0 queues"},
			{time.Second, event.Tick{}, "query t 1s"},
			{time.Second, given(0, 3), tookTwo},
		}, "broker"},
		{"once the broker allots, no failure takes a queue away or changes who does", []step{
			{0, route(4), ""},
			{0, wanted(), "query t 1s"},
			{0, given(0, 3), tookTwo},
			{20 * time.Second, event.Tick{}, "query t 3s"},
			{20 * time.Second, refused, "warn t: assignment unknown: connection refused: keeps 2 queues"},
			{21 * time.Second, event.Tick{}, "query t 3s"},
			{24 * time.Second, silent, ""}, // nothing is told twice
			{25 * time.Second, event.Tick{}, "query t 3s"},
			{25 * time.Second, unknown, warnUnknown},
			{26 * time.Second, event.Tick{}, "query t 3s"},
			{26 * time.Second, unknown, "announce t"},
			{27 * time.Second, event.Tick{}, "query t 3s"},
			{27 * time.Second, given(0, 3), "drain t"},
		}, "broker"},
		{"no queues are an answer: all are given up", []step{
			{0, route(4), ""},
			{0, wanted(), "query t 1s"},
			{0, given(0, 3), tookTwo},
			{0, found(0, 1, 7), "assign 0 #1 at 7 after 500ms"},
			{20 * time.Second, event.Tick{}, "query t 3s"},
			{20 * time.Second, given(), `
				drain t
				revoke 0 #1 rebalance
				info t: +0 -2 queues, by the broker, told AVG
				announce t`},
		}, "broker"},
		{"a topic to be popped is told loudly once, and its queues are kept", []step{
			{0, route(4), ""},
			{0, wanted(), "query t 1s"},
			{0, given(0, 3), tookTwo},
			{20 * time.Second, event.Tick{}, "query t 3s"},
			{20 * time.Second, popped, "err t: the broker means this topic to be popped by group g, which this consumer can not do: keeps 2 queues. Set it back (mqadmin setConsumeMode -c CLUSTER -t t -g g -m PULL), or let members allot"},
			{40 * time.Second, event.Tick{}, "query t 3s"},
			{40 * time.Second, popped, ""},
			{60 * time.Second, event.Tick{}, "query t 3s"},
			{60 * time.Second, given(0, 3), "drain t"},
		}, "broker"},
		{"a broker that gives all queues beside others is told of, once it did so again", []step{
			{0, route(2), ""},
			{0, wanted(), "query t 1s"},
			{0, given(0, 1), `
				drain t
				info t: +2 -0 queues, by the broker, told AVG
				announce t
				read 0 #1 committed
				read 1 #2 committed`},
			{20 * time.Second, event.Tick{}, "query t 3s"},
			{20 * time.Second, given(0, 1), `
				warn t: the broker gives this member all 2 queues although there are 2 members: where its serverLoadBalancerEnable is false each of them gets all, and consumes every message
				drain t`},
			{40 * time.Second, event.Tick{}, "query t 3s"},
			{40 * time.Second, given(0, 1), "drain t"},
		}, "broker"},
		{"queues that can not be are refused as a whole", []step{
			{0, route(4), ""},
			{0, wanted(), "query t 1s"},
			{0, given(0, -1), "err t: the broker assigned queues that the topic can not have: keeps 0 queues"},
		}, "broker"},
		{"a broker that never answers ends the pass, and it is tried again", []step{
			{0, route(4), ""},
			{0, wanted(), "query t 1s"},
			{30 * time.Second, event.Tick{}, "warn t: no assignment for 30s: keeps 0 queues"},
			{30 * time.Second, given(0), ""},
			{31 * time.Second, event.Tick{}, "query t 1s"},
		}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newOne(brokerSided)
			play(t, r, tt.script)
			if who, why := r.AllottedBy("t"); who != tt.who {
				t.Errorf("allotted by %q (%s), want %q", who, why, tt.who)
			}
		})
	}
}

func TestWhoAllotsIsTriedAgainAfterUnsubscribing(t *testing.T) {
	r := newOne(brokerSided)
	play(t, r, []step{
		{0, route(2), ""},
		{0, wanted(), "query t 1s"},
		{0, failed(event.AssignmentRefused), "warn t: the broker does not allot: connection refused" + asksMembers},
	})
	if who, why := r.AllottedBy("t"); who != "AVG" || !strings.Contains(why, "connection refused") {
		t.Errorf("allotted by %q because %q", who, why)
	}
	r.Unsubscribe(epoch, "t")
	r.Subscribe("t")
	play(t, r, []step{
		{2 * time.Second, route(2), "query t 1s"},
		{2 * time.Second, given(0), `
			drain t
			info t: +1 -0 queues, by the broker, told AVG
			announce t
			read 0 #1 committed`},
	})
	if who, _ := r.AllottedBy("t"); who != "broker" {
		t.Errorf("allotted by %q", who)
	}
}

func TestTheBrokerIsNotAskedWhereMembersAlwaysAllot(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Config)
		want   string
		who    string
	}{
		{"in order", orderly, "list t", "AVG"},
		{"broadcasting", func(c *Config) { c.Model = mq.Broadcasting }, `
			info t: +1 -0 queues, all queues, BROADCASTING
			announce t
			read 0 #1 committed`, "all"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newOne(brokerSided, tt.change)
			play(t, r, []step{{0, route(1), ""}, {0, wanted(), tt.want}, {0, given(0), ""}})
			if who, why := r.AllottedBy("t"); who != tt.who || why == "" {
				t.Errorf("allotted by %q because %q, want %q and a reason", who, why, tt.who)
			}
		})
	}
	r := newOne()
	r.Step(epoch, route(1))
	if who, why := r.AllottedBy("t"); who != "AVG" || why != "" {
		t.Errorf("allotted by %q because %q where nobody asked for brokers", who, why)
	}
}

// TestOwnersWhereTheBrokerAllots: others' queues are told only while the strategy explains ours.
func TestOwnersWhereTheBrokerAllots(t *testing.T) {
	owners := func(r *Rebalance) (list []string) {
		for id := range int32(4) {
			owner, _ := r.Owner(q(id))
			list = append(list, owner)
		}
		return list
	}
	r := newOne(brokerSided)
	r.Step(epoch, route(4))
	r.Step(epoch, wanted())
	r.Step(epoch, given(0, 1))
	if diff := cmp.Diff([]string{me, me, us[1], us[1]}, owners(r)); diff != "" {
		t.Errorf("the broker does as the strategy (-want +got):\n%s", diff)
	}
	r.Step(epoch.Add(20*time.Second), event.Tick{})
	r.Step(epoch.Add(20*time.Second), given(0, 1, 2, 3)) // server load balancing is off
	if diff := cmp.Diff([]string{me, me, me, me}, owners(r)); diff != "" {
		t.Errorf("the broker gives all (-want +got):\n%s", diff)
	}
	r.Step(epoch.Add(40*time.Second), event.Tick{})
	r.Step(epoch.Add(40*time.Second), given(3))
	if diff := cmp.Diff([]string{"", "", "", me}, owners(r)); diff != "" {
		t.Errorf("the broker does otherwise (-want +got):\n%s", diff)
	}
	if members, _ := r.Members(); len(members) != 2 {
		t.Errorf("members %v, want those that came along", members)
	}
}

func TestBrokersAreAskedOnlyForStrategiesThatTheyKnow(t *testing.T) {
	for _, name := range StrategyNames() {
		if name == "CONFIG" || name == "MACHINE_ROOM" {
			continue // they need options
		}
		cfg := Config{BrokerSide: true, Strategy: mustByName(t, name)}
		err := cfg.Validate()
		if known := strings.HasPrefix(name, "AVG"); known != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("the error does not name %s: %v", name, err)
		}
		cfg.Orderly = true
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s in order, where members allot: %v", name, err)
		}
	}
}

func TestAStrategyThatFailsForAnotherMemberServesUs(t *testing.T) {
	r := newOne(func(c *Config) { c.Strategy = fussy{} })
	play(t, r, []step{
		{0, route(2), ""},
		{0, wanted(), "list t"},
		{0, listed(us...), "info t: +1 -0 queues, fussy over 2 members\n announce t\n read 0 #1 committed"},
	})
	if owner, ok := r.Owner(q(0)); !ok || owner != me {
		t.Errorf("owner of ours is %q, %v", owner, ok)
	}
	if owner, ok := r.Owner(q(1)); ok {
		t.Errorf("owner of the other is %q", owner)
	}
}

// fussy serves this member only.
type fussy struct{}

func (fussy) Name() string { return "fussy" }

func (fussy) Allocate(who string, queues []mq.MessageQueue, members []string) ([]mq.MessageQueue, error) {
	if who != me {
		return nil, errors.New("not for you")
	}
	return Averagely{}.Allocate(who, queues, members)
}
