package rebalance

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
)

const other = "10.0.0.2@1"

// subs are subscriptions such as "orders:A || B", with a version after @ if that matters.
func subs(list ...string) (out []protocol.SubscriptionData) {
	for _, text := range list {
		version := int64(0)
		name, at, _ := strings.Cut(text, "@")
		if at != "" {
			version = int64(len(at))
		}
		topic, expression, _ := strings.Cut(name, ":")
		s, err := protocol.ParseSubscription(topic, expression, version)
		if err != nil {
			panic(err)
		}
		out = append(out, s)
	}
	return out
}

func told(id string, list ...string) PeerTold {
	return PeerTold{ClientID: id, Info: protocol.ConsumerRunningInfo{SubscriptionSet: subs(list...)}}
}

func group(members ...string) PeersSeen {
	return PeersSeen{Members: append([]string{me}, members...), Ours: subs("orders:A", "pays")}
}

func peerWord(a Action) string {
	switch a := a.(type) {
	case AskPeer:
		return "ask " + a.ClientID
	case AskGroup:
		return "ask the group"
	case event.Entry:
		text, _, _ := strings.Cut(a.What, ". Make")
		return fmt.Sprintf("%v %s", a.Level, strings.TrimPrefix(text, fmt.Sprintf("member %q ", a.Where)))
	}
	return fmt.Sprintf("%#v", a)
}

// brokerHas is a broker's word on the group.
func brokerHas(list ...string) GroupTold {
	return GroupTold{Ours: subs("orders:A", "pays"), Theirs: subs(list...)}
}

// suspicion is what lets members be asked at once: brokers have newer tags than ours.
func suspicion() GroupTold { return brokerHas("orders:OLD@1") }

// suspect has p ask the only other member.
func suspect(t *testing.T, p *Peers, at time.Time) {
	t.Helper()
	var words []string
	for _, a := range p.Step(at, suspicion()) {
		words = append(words, peerWord(a))
	}
	want := []string{"err another member of the group subscribes to orders with A here and OLD there, pays only here" +
		"; queues that are allotted to a member without their topic are read by nobody" +
		"; brokers filter for all members by what was subscribed to last, the rest is skipped", "ask the group", "ask " + other}
	if diff := cmp.Diff(want, words); diff != "" {
		t.Fatalf("a suspicion (-want +got):\n%s", diff)
	}
}

// TestFR6BrokersAreAskedFirst: no member is bothered as long as brokers know of no difference.
func TestFR6BrokersAreAskedFirst(t *testing.T) {
	alike, other1 := brokerHas("orders:A", "pays", "%RETRY%g"), brokerHas("orders:A")
	failed := GroupTold{Err: errBoom}
	for _, tt := range []struct {
		name    string
		answers []GroupTold
		asked   int // members in all
		told    int
	}{
		{"alike", []GroupTold{alike, alike, alike, alike, alike, alike, alike, alike}, 0, 0},
		{"one other answer may be of a moment in which we changed ours", []GroupTold{other1, alike, alike, alike, alike, alike, alike, other1}, 0, 0},
		{"topics come and go with heartbeats", []GroupTold{other1, alike, alike, other1}, 1, 1},
		{"told once as long as it lasts", []GroupTold{other1, other1, other1, other1, alike, other1}, 1, 1},
		{"failures say nothing", []GroupTold{failed, other1, failed, failed, failed, failed, failed, failed, other1}, 1, 1},
		{"over and begun again", []GroupTold{other1, other1, alike, alike, alike, alike, alike, alike, other1, other1}, 2, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := NewPeers(me, false)
			p.Step(epoch, group(other))
			asked, said, last := 0, 0, time.Time{}
			take := func(actions []Action, now time.Time) (group bool) {
				for _, a := range actions {
					switch a := a.(type) {
					case AskGroup:
						if !last.IsZero() && now.Sub(last) < groupPace {
							t.Errorf("a broker is asked %v after the last time", now.Sub(last))
						}
						last, group = now, true
					case AskPeer:
						asked++
						p.Step(now, told(a.ClientID, "orders:A", "pays"))
					case event.Entry:
						said++
					}
				}
				return group
			}
			now := epoch
			for _, answer := range tt.answers {
				for {
					at, ok := p.NextDue()
					if !ok {
						t.Fatal("nothing is due")
					}
					now = at
					if take(p.Step(now, event.Tick{}), now) {
						break
					}
				}
				take(p.Step(now, answer), now)
				take(p.Step(now.Add(time.Second), group(other)), now.Add(time.Second))
			}
			take(p.Step(now.Add(2*time.Second), event.Tick{}), now.Add(2*time.Second))
			if asked != tt.asked || said != tt.told {
				t.Errorf("%d questions to the member, %d told, want %d and %d", asked, said, tt.asked, tt.told)
			}
		})
	}
	p := NewPeers(me, false)
	p.Step(epoch, group())
	if at, ok := p.NextDue(); ok {
		t.Errorf("alone, and due at %v", at)
	}
}

func TestFR6MembersThatSubscribeOtherwiseAreTold(t *testing.T) {
	const unread = "; queues that are allotted to a member without their topic are read by nobody"
	const filtered = "; brokers filter for all members by what was subscribed to last, the rest is skipped"
	for _, tt := range []struct {
		name  string
		tells PeerTold
		want  string
		list  []snapshot.Difference
	}{
		{"alike", told(other, "pays:*", "orders: A "), "", nil},
		{"retry topics do not count", told(other, "pays", "orders:A", "%RETRY%g", "%RETRY%g_orders"), "", nil},
		{"a topic less", told(other, "orders:A"), "err subscribes to pays only here" + unread,
			[]snapshot.Difference{{Topic: "pays", Ours: "*"}}},
		{"a topic more", told(other, "orders:A", "pays", "stock:X||Y"), "err subscribes to stock only there" + unread,
			[]snapshot.Difference{{Topic: "stock", Theirs: "X || Y"}}},
		{"other tags, newer", told(other, "orders:B@1", "pays"), "err subscribes to orders with A here and B there" + filtered,
			[]snapshot.Difference{{Topic: "orders", Ours: "A", Theirs: "B", TheirsIsNewer: true}}},
		{"all of it", told(other, "orders:B || A", "stock"), "err subscribes to orders with A here and A || B there, pays only here, stock only there" + unread + filtered,
			[]snapshot.Difference{{Topic: "orders", Ours: "A", Theirs: "A || B"}, {Topic: "pays", Ours: "*"}, {Topic: "stock", Theirs: "*"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := NewPeers(me, false)
			if got := p.Step(epoch, group(other)); got != nil {
				t.Errorf("asks before the group has settled: %v", got)
			}
			at := epoch.Add(peerFirst)
			suspect(t, p, at)
			if _, known := p.Differs(other); known.OK() || p.Unread(other, "pays") {
				t.Error("something is known before the answer")
			}
			var words []string
			for _, a := range p.Step(at, tt.tells) {
				words = append(words, peerWord(a))
			}
			if got := strings.Join(words, "\n"); got != tt.want {
				t.Errorf("told %q, want %q", got, tt.want)
			}
			list, known := p.Differs(other)
			if diff := cmp.Diff(tt.list, list); diff != "" || !known.OK() || !known.V.Equal(at) {
				t.Errorf("differs, as of %v (-want +got):\n%s", known, diff)
			}
			for _, topic := range []string{"orders", "pays", "stock"} {
				want := slices.ContainsFunc(tt.list, func(d snapshot.Difference) bool { return d.Topic == topic && d.Theirs == "" }) ||
					topic == "stock" && !slices.ContainsFunc(tt.list, func(d snapshot.Difference) bool { return d.Topic == topic })
				if got := p.Unread(other, topic); got != want {
					t.Errorf("%s is unread there: %v, want %v", topic, got, want)
				}
			}
			if p.Unread(other, "%RETRY%g") {
				t.Error("a retry topic counts as unread")
			}
			if again := p.Step(at.Add(peerEvery), tt.tells); len(again) > 1 {
				t.Errorf("told again: %v", again)
			}
		})
	}
}

func TestAMemberThatChangesIsToldAgain(t *testing.T) {
	p := NewPeers(me, false)
	p.Step(epoch, group(other))
	at := epoch.Add(peerFirst)
	suspect(t, p, at)
	p.Step(at, told(other, "orders:A"))
	at = at.Add(peerAgain)
	play := func(e event.Event, want ...string) {
		t.Helper()
		var got []string
		for _, a := range p.Step(at, e) {
			if a != any(AskGroup{}) {
				got = append(got, peerWord(a))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%#v (-want +got):\n%s", e, diff)
		}
	}
	play(event.Tick{}, "ask "+other)
	play(told(other, "orders:A", "pays"), "info subscribes as this member does now")
	// Our own subscription changes, too.
	play(PeersSeen{Members: []string{me, other}, Ours: subs("orders:A")},
		"err subscribes to pays only there; queues that are allotted to a member without their topic are read by nobody")
	at = at.Add(peerAgain)
	play(event.Tick{}, "ask "+other)
	play(told(other, "orders:A@77", "pays@77")) // only versions changed
	at = at.Add(peerAgain)
	play(event.Tick{}, "ask "+other)
	play(PeerTold{ClientID: other, Err: errBoom}) // what it told before stays
	if list, known := p.Differs(other); len(list) != 1 || !known.OK() {
		t.Errorf("differs %v, %v", list, known)
	}
	play(group()) // it left
	if list, known := p.Differs(other); list != nil || known.OK() {
		t.Errorf("one that left differs %v, %v", list, known)
	}
	if at, ok := p.NextDue(); ok {
		t.Errorf("due at %v without others", at)
	}
}

func TestMembersAreAskedOneByOne(t *testing.T) {
	const n = 200
	p := NewPeers(me, true)
	p.Step(epoch, group(membersOf(n)...))
	p.Step(epoch, LocksWatched{On: true})
	asked, last := map[string]int{}, time.Time{}
	for range 3 * n {
		now, ok := p.NextDue()
		if !ok {
			t.Fatal("nothing is due")
		}
		for _, a := range p.Step(now, event.Tick{}) {
			if a == any(AskGroup{}) {
				p.Step(now, brokerHas("orders:A", "pays"))
				continue
			}
			if !last.IsZero() && now.Sub(last) < peerPace {
				t.Fatalf("asks %v after the one before", now.Sub(last))
			}
			last = now
			id := a.(AskPeer).ClientID
			asked[id]++
			if more := p.Step(now, event.Tick{}); more != nil {
				t.Fatalf("asks %v while one is asked", more)
			}
			if asked[id]%2 == 0 { // now and then no answer comes at all
				p.Step(now, told(id, "orders:A", "pays"))
			}
		}
	}
	least, most := n, 0
	for _, times := range asked {
		least, most = min(least, times), max(most, times)
	}
	if len(asked) != n || most-least > 1 {
		t.Errorf("%d members asked, %d to %d times", len(asked), least, most)
	}
}

func TestAMemberThatDoesNotTellSaysWhy(t *testing.T) {
	p := NewPeers(me, false)
	p.Step(epoch, group(other))
	p.Step(epoch.Add(peerFirst), suspicion())
	if got := p.Step(epoch.Add(peerFirst), PeerTold{ClientID: other, Err: errBoom}); got != nil {
		t.Errorf("does %v", got)
	}
	if _, known := p.Differs(other); known.OK() || known.Reason != "it does not tell: connection refused" {
		t.Errorf("known %v", known)
	}
	if got := p.Step(epoch, PeerTold{ClientID: "stranger"}); got != nil {
		t.Errorf("a stranger leads to %v", got)
	}
}

// TestASilentMemberIsLeftAlone: one that did not answer in time is not asked for ten minutes,
// whether it stays or leaves and comes back; the others are asked as ever.
func TestASilentMemberIsLeftAlone(t *testing.T) {
	for _, comesBack := range []bool{false, true} {
		p := NewPeers(me, true)
		p.Step(epoch, group(other, "c"))
		p.Step(epoch, LocksWatched{On: true})
		var at []time.Duration
		others := 0
		for now := epoch; now.Before(epoch.Add(25 * time.Minute)); now = now.Add(time.Second) {
			actions := p.Step(now, event.Tick{})
			if now.Equal(epoch) {
				actions = append(actions, AskPeer{ClientID: other}) // at once, when it was wanted
			}
			for _, a := range actions {
				ask, ok := a.(AskPeer)
				if !ok {
					continue
				}
				if ask.ClientID != other {
					others++
					p.Step(now, told(ask.ClientID, "orders:A", "pays"))
					continue
				}
				at = append(at, now.Sub(epoch))
				p.Step(now, PeerTold{ClientID: other, Err: fmt.Errorf("asked: %w", &protocol.BrokerError{Code: protocol.ConsumeMsgTimeout})})
				if comesBack {
					p.Step(now, group("c"))
					p.Step(now, group(other, "c"))
				}
			}
		}
		for i := 1; i < len(at); i++ {
			if at[i]-at[i-1] < peerSilent {
				t.Errorf("asked again %v later", at[i]-at[i-1])
			}
		}
		if len(at) != 3 || others < 60 {
			t.Errorf("asked at %v, the other one %d times", at, others)
		}
	}
}

func TestManyDifferencesAreOneShortLine(t *testing.T) {
	p := NewPeers(me, false)
	p.Step(epoch, group(other))
	p.Step(epoch.Add(peerFirst), suspicion())
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprintf("topic-%02d", i))
	}
	got := p.Step(epoch.Add(peerFirst), told(other, many...))
	if len(got) != 1 || !strings.Contains(got[0].(event.Entry).What, "and 97 more;") {
		t.Errorf("told %v", got)
	}
}

// TestBelieversAreThoseOfTheSameTime: an older word is none of a second owner.
func TestBelieversAreThoseOfTheSameTime(t *testing.T) {
	const third = "10.0.0.3@1"
	trust := 30 * time.Second
	p := NewPeers(me, true)
	p.Step(epoch, group(other, third))
	at := func(d time.Duration) time.Time { return epoch.Add(d) }
	// says has a member answer, at once, that it holds the locks of these queues.
	says := func(d time.Duration, id string, locked ...int32) {
		t.Helper()
		asks := slices.DeleteFunc(p.Step(at(d), LocksWatched{On: true}), func(a Action) bool { return a == any(AskGroup{}) })
		if len(asks) != 1 || asks[0].(AskPeer).ClientID != id {
			t.Fatalf("at %v asks %v, want %s", d, asks, id)
		}
		table := map[mq.MessageQueue]protocol.ProcessQueueInfo{q(8): {Locked: true, Dropped: true}, q(9): {}}
		for _, n := range locked {
			table[q(n)] = protocol.ProcessQueueInfo{Locked: true}
		}
		p.Step(at(d), PeerTold{ClientID: id, Info: protocol.ConsumerRunningInfo{MQTable: table, SubscriptionSet: subs("orders:A", "pays")}})
	}
	want := func(d time.Duration, id int32, since time.Time, want ...string) {
		t.Helper()
		if got := p.Believers(at(d), q(id), since, trust); !slices.Equal(got, want) {
			t.Errorf("at %v of queue %d: %v, want %v", d, id, got, want)
		}
	}
	none := time.Time{}
	want(0, 0, none)
	want(0, 0, at(0), me)
	says(3*time.Second, other, 0)
	want(3*time.Second, 0, none, other)
	want(3*time.Second, 8, none) // given up
	want(3*time.Second, 9, none) // never locked
	want(5*time.Second, 0, at(4*time.Second), me)
	want(5*time.Second, 0, at(2*time.Second), me, other)
	says(4*time.Second, third, 0)
	want(5*time.Second, 0, none, third) // it was handed over in between
	says(23*time.Second, other, 0)
	want(23*time.Second, 0, none, other, third) // no: it held it all the time
	says(24*time.Second, third)
	want(24*time.Second, 0, none, other)
	want(53*time.Second+1, 0, none) // too long ago
	p.Step(at(25*time.Second), group(third))
	want(25*time.Second, 0, none) // it left
}
