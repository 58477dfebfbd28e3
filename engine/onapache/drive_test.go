package onapache_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"mqscope/engine/apachetest"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/engine/step/command"
)

// driven is a member whose pulls the test makes by hand, beside another one of its group.
type driven struct {
	*ourMember
	step  *step.Live
	topic string
}

func joinDriven(t *testing.T, nameServer, group, topic, id string) *driven {
	t.Helper()
	m := openMember(t, nameServer, group, topic, id, success)
	d := &driven{ourMember: m, step: step.NewLive(step.LiveConfig{Consumer: m.live, Group: group}), topic: topic}
	m.run(d.step)
	return d
}

// waitHeld waits until n queues of the topic are ours and the pulls of all of them are held.
func (d *driven) waitHeld(n int) *snapshot.Snapshot {
	d.t.Helper()
	return d.until(fmt.Sprintf("%d held pulls", n), func(s *snapshot.Snapshot) bool {
		held := 0
		for _, task := range s.Sched.Tasks {
			if task.Queue.Topic == d.topic && task.Held {
				held++
			}
		}
		return held == n && len(ownedOf(s, d.topic)) == n
	})
}

// turn makes one turn of a pull as a whole.
func (d *driven) turn() *snapshot.Snapshot {
	d.t.Helper()
	from := d.step.Snapshot().Sched.Steps
	d.step.Do(command.Task{})
	return d.until("the end of a turn", func(s *snapshot.Snapshot) bool {
		c := &s.Sched.Current
		return c.Done && len(c.Lines) > 0 && c.Lines[0].Step > from
	})
}

// story is that of a driven member and another one: each has two of four queues, with count
// messages each. other waits until the other member owns so many queues and was given so many
// messages; send stores count messages in each queue.
func (d *driven) story(hold time.Duration, count int, send func(), other func(queues, messages int)) {
	d.t.Helper()
	other(2, 0)
	before := d.waitHeld(2)
	send()
	other(2, 2*count)
	time.Sleep(hold) // while everything else goes on
	s := d.waitHeld(2)
	if d.distinct() != 0 || s.Counters.Pulls != before.Counters.Pulls || s.Sched.Drives != s.Group.Name {
		d.t.Errorf("%d messages, %d pulls before and %d now, drives %q", d.distinct(), before.Counters.Pulls, s.Counters.Pulls, s.Sched.Drives)
	}
	if tells(s, "given up") != tells(before, "given up") || len(s.Members) != 2 {
		d.t.Errorf("queues moved, or members: %v", s.Members)
	}
	for turns := 1; d.distinct() < 2*count; turns++ {
		pulls := d.step.Snapshot().Counters.Pulls
		s = d.turn()
		if turns > 5 || s.Counters.Pulls > pulls+1 {
			d.t.Fatalf("%d messages after %d turns, %d pulls in the last one", d.distinct(), turns, s.Counters.Pulls-pulls)
		}
		time.Sleep(100 * time.Millisecond) // for its answer; a turn more does no harm
	}
	d.until("a held pull", func(s *snapshot.Snapshot) bool { return heldOf(s) > 0 })
	d.step.Do(command.One{})
	d.until("an open turn", func(s *snapshot.Snapshot) bool { return len(s.Sched.Current.Lines) == 1 && !s.Sched.Current.Done })
	d.leave() // in the midst of it
	send()
	other(4, 6*count)
	if s := d.step.Snapshot(); s.Source.State != snapshot.Ended || d.distinct() != 2*count {
		d.t.Errorf("%v, %d messages of %d", s.Source.State, d.distinct(), 2*count)
	}
}

func heldOf(s *snapshot.Snapshot) (n int) {
	for _, task := range s.Sched.Tasks {
		if task.Held {
			n++
		}
	}
	return n
}

// TestADrivenMemberOnTCP steps a member by hand while another one of its group goes on, in real
// time: the story of the test behind it, on the embedded cluster.
func TestADrivenMemberOnTCP(t *testing.T) {
	const topic, group, count = "orders", "g", 3
	cluster, err := embedded.New(embedded.Config{NameServerAddr: "127.0.0.1:0", BrokerAddrs: []string{"127.0.0.1:0"}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- cluster.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	<-cluster.Ready()
	if err := cluster.CreateTopic(topic, 4); err != nil {
		t.Fatal(err)
	}
	other := openMember(t, cluster.NameServerAddr(), group, topic, "127.0.0.1@other", success)
	other.run(other.live)
	d := joinDriven(t, cluster.NameServerAddr(), group, topic, "127.0.0.1@driven")
	n := 0
	d.story(0, count, func() {
		cluster.Inspect(func(s *embedded.State) {
			for i := range 4 * count {
				n++
				if _, err := s.Broker("broker-a").Put(topic, int32(i%4), []byte("body"), protocol.Property{Name: mq.PropertyKeys, Value: strconv.Itoa(n)}); err != nil {
					t.Error(err)
				}
			}
		})
	}, func(queues, messages int) {
		t.Helper()
		other.until(fmt.Sprintf("%d queues and %d messages", queues, messages), func(s *snapshot.Snapshot) bool {
			return len(ownedOf(s, topic)) == queues && other.distinct() == messages
		})
	})
}

// TestApacheADrivenMemberBesideAJavaOne is the same on Apache's broker, beside Apache's client:
// it is not disturbed by a member that does not pull.
func TestApacheADrivenMemberBesideAJavaOne(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	const topic, group, count = "mqscope_driven", "mqscope_driven", 3
	if err := c.CreateTopic(ctx, topic, 4); err != nil {
		t.Fatal(err)
	}
	java, err := c.JavaConsumer(ctx, apachetest.Member{Group: group, Topic: topic, IDs: true})
	if err != nil {
		t.Fatal(err)
	}
	d := joinDriven(t, c.NameServer, group, topic, "127.0.0.1@driven")
	sent := 0
	d.story(5*time.Second, count, func() {
		if _, err := c.Produce(ctx, apachetest.Load{Topic: topic, First: sent, Count: 4 * count, Queues: 4}); err != nil {
			t.Fatal(err)
		}
		sent += 4 * count
	}, func(queues, messages int) {
		t.Helper()
		seen, err := java.Wait(ctx, func(s apachetest.Seen) bool { return len(s.Queues) == queues && len(s.Received) >= messages })
		if err != nil {
			t.Fatal(err)
		}
		if len(seen.Received) != messages {
			t.Errorf("the Java member was given %d messages, want %d", len(seen.Received), messages)
		}
	})
	if _, err := java.Close(ctx); err != nil {
		t.Error(err)
	}
}
