package consumer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// commit makes the group have an offset before anybody joins it.
func (w *world) commit(q mq.MessageQueue, offset int64) {
	w.on(q.BrokerName, func(b *embedded.Broker) { b.Store.Commits.Put(group, q.Topic, q.QueueID, offset) })
}

func offsetAnswer(offset int64) *remoting.Command {
	return &remoting.Command{Fields: protocol.Encode(&protocol.OffsetResponse{Offset: offset})}
}

func TestP01OffsetQueryFailureIsNotZero(t *testing.T) {
	tests := []struct {
		name    string
		verdict embedded.Verdict
		told    string
	}{
		{"it is answered after a minute", embedded.DelayReply(time.Minute), "no answer in time"},
		{"it fails", embedded.Fail(protocol.SystemError, "disk is on fire"), "disk is on fire"},
		{"the broker is busy", embedded.Fail(protocol.SystemBusy, "busy"), "SYSTEM_BUSY"},
		{"it is answered -1 with success", embedded.Answer(offsetAnswer(-1)), "-1"},
		{"it is answered with nothing", embedded.Answer(&remoting.Command{}), "offset"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 2)
				w.put(first, 100, "", 0)
				w.put(queueOf("broker-a", 1), 100, "", 0)
				w.commit(first, 60)
				seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
				mend := w.onCode(protocol.QueryConsumerOffset, func(r *embedded.Request) embedded.Verdict {
					if requestOf(r).Queue == first {
						return tt.verdict
					}
					return embedded.Pass
				})
				m := w.join("192.0.2.10@me", nil)
				stranger := w.stranger()
				for range 2 {
					m.after(10 * time.Second)
					if err := w.notify(stranger); err != nil {
						t.Fatal(err)
					}
				}
				s := m.after(40 * time.Second)
				if list := append(seen.pulls(first), seen.commits(first)...); len(list) != 0 {
					t.Fatalf("the broker got %v before it had said where to start", list)
				}
				if q := queue(s, first); q.State != snapshot.Resolving || q.Lag.OK() || q.Committed.OK() {
					t.Errorf("queue is %v with lag %+v, want it resolving and unknown", q.State, q.Lag)
				}
				if len(told(s, "start offset unknown (committed)", tt.told)) == 0 {
					t.Errorf("not told that %q:\n%s", tt.told, texts(s))
				}
				mend()
				s = m.after(12 * time.Second)
				if list := seen.pulls(first); len(list) == 0 || list[0].Offset != 60 {
					t.Errorf("pulls %v, want the first at 60", list)
				}
				m.caughtUp(s, 2)
				if n := distinct(m); n != 140 {
					t.Errorf("%d delivered, want 40 and 100", n)
				}
			})
		})
	}
}

func TestP02FirstOffsetThatCanNotBeComputedStartsNothing(t *testing.T) {
	tests := []struct {
		name string
		from mq.ConsumeFromWhere
		code protocol.RequestCode
	}{
		{"from the last offset, without the max offset", mq.FromLastOffset, protocol.GetMaxOffset},
		{"from a time, without the search", mq.FromTimestamp, protocol.SearchOffsetByTimestamp},
	}
	for _, tt := range tests {
		for name, verdict := range map[string]embedded.Verdict{
			"an error": embedded.Fail(protocol.SystemError, "boom"), "minus one": embedded.Answer(offsetAnswer(-1)), "silence": embedded.Drop,
		} {
			t.Run(tt.name+": "+name, func(t *testing.T) {
				inWorld(t, 1, func(w *world) {
					w.createTopic(topic, 1)
					w.put(first, 30, "", 0)
					w.onCode(protocol.QueryConsumerOffset, func(*embedded.Request) embedded.Verdict {
						return embedded.Fail(protocol.QueryNotFound, "none yet")
					})
					mend := w.onCode(tt.code, func(*embedded.Request) embedded.Verdict { return verdict })
					seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
					time.Sleep(time.Hour) // what is stored lies before the default time
					m := w.join("192.0.2.10@me", nil, func(c *consumer.Config) { c.From = tt.from })
					m.after(time.Minute)
					if list := append(seen.pulls(first), seen.commits(first)...); len(list) != 0 {
						t.Fatalf("the broker got %v before there was an offset", list)
					}
					mend()
					w.sendTo(first, 5)
					m.after(30 * time.Second)
					if list := seen.pulls(first); len(list) == 0 || list[0].Offset < 30 {
						t.Errorf("pulls %v, want none below 30", list)
					}
				})
			})
		}
	}
}

// illegal checks that the pull after the last one at asked, which was answered at since or at
// once, came without delay and at next.
func illegal(t *testing.T, pulls []request, since time.Time, asked, next int64) {
	t.Helper()
	for i := len(pulls) - 1; i > 0; i-- {
		if pulls[i-1].Offset != asked || pulls[i].Offset != next {
			continue
		}
		from := pulls[i-1].At
		if since.After(from) {
			from = since
		}
		if gap := pulls[i].At.Sub(from); gap >= 200*time.Millisecond {
			t.Errorf("the pull at %d came %v after the one at %d, want less than 200 ms", next, gap, asked)
		}
		return
	}
	t.Errorf("no pull at %d follows one at %d: %v", next, asked, pulls)
}

func TestP10IllegalOffsetGoesOnAtOnce(t *testing.T) {
	tests := []struct {
		name        string
		stored      int
		committed   int64
		trim        int64 // the broker has lost what is before it
		asked, next int64
		level       event.Level
		told        []string
	}{
		{"too small", 100, 10, 40, 10, 40, event.Warn, []string{"offset 10 is illegal", "[40, 100)", "continues at 40", "30 offsets are skipped"}},
		{"too large", 100, 500, 0, 500, 100, event.Error, []string{"offset 500 is illegal", "[0, 100)", "continues at 100", "newest messages are gone"}},
		{"of an empty queue", 0, 50, 0, 50, 0, event.Error, []string{"offset 50 is illegal", "[0, 0)", "continues at 0", "topic was made anew"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.net.Delay(addrOf("broker-a"), 5*time.Millisecond)
				w.createTopic(topic, 1)
				w.put(first, tt.stored, "", 0)
				w.commit(first, tt.committed)
				w.on("broker-a", func(b *embedded.Broker) { b.Store.Trim(b.Store.Queue(topic, 0), tt.trim) })
				seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
				m := w.join("192.0.2.10@me", nil)
				s := m.after(7 * time.Second)
				illegal(t, seen.pulls(first), time.Time{}, tt.asked, tt.next)
				if got := told(s, tt.told...); len(got) != 1 || got[0].Level != tt.level {
					t.Errorf("told %v, want %v with old, new and bounds:\n%s", got, tt.level, texts(s))
				}
				if q := queue(s, first); q.Illegal != 1 {
					t.Errorf("%d corrections are counted, want 1", q.Illegal)
				}
				for _, c := range seen.commits(first) {
					if c.Commit < tt.next && c.Commit != tt.committed {
						t.Errorf("%d was committed", c.Commit)
					}
				}
				w.put(first, 3, "", 0)
				m.caughtUp(m.after(6*time.Second), 1)
				if n := distinct(m); int64(n) != w.end(first)-tt.next {
					t.Errorf("%d messages were delivered, want all from %d on", n, tt.next)
				}
			})
		})
	}
}

// TestP10ServerSideReset: listeners that run when an offset is reset finish later; what they
// resolved must not be committed over the new offset.
func TestP10ServerSideReset(t *testing.T) {
	for _, target := range []int64{5, 80} {
		t.Run(fmt.Sprint("to ", target), func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 100, "", 0)
				seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
				m := w.join("192.0.2.10@me", takes(2*time.Second))
				m.after(3 * time.Second)
				w.on("broker-a", func(b *embedded.Broker) { b.ResetOffset(group, topic, 0, target) })
				at := time.Now()
				w.put(first, 1, "", 0) // ends the pull that is held at 100
				s := m.after(time.Second)
				illegal(t, seen.pulls(first), at, 100, target)
				if len(told(s, "offset 100 is illegal", fmt.Sprint("continues at ", target), "was reset")) != 1 {
					t.Errorf("the reset is not told:\n%s", texts(s))
				}
				s = m.after(30 * time.Second)
				last := target
				for _, c := range seen.commits(first) {
					if !c.At.After(at) {
						continue
					}
					if c.Commit < last {
						t.Errorf("%d was committed after %d", c.Commit, last)
					}
					if late := c.At.Sub(at); late < 2*time.Second && c.Commit > target {
						t.Errorf("%d was committed %v after the reset to %d: nothing from there was consumed yet", c.Commit, late, target)
					}
					last = c.Commit
				}
				m.caughtUp(s, 1)
				if got, want := m.deliveries("0-10 "), map[int64]int{5: 2, 80: 1}[target]; got != want {
					t.Errorf("offset 10 was delivered %d times, want %d", got, want)
				}
			})
		})
	}
}

// TestP10StaleCommitsWhileAnOffsetIsRepaired: the broker takes four seconds to answer the
// correction. What listeners finish meanwhile belongs to the old offset.
func TestP10StaleCommitsWhileAnOffsetIsRepaired(t *testing.T) {
	for _, target := range []int64{5, 80} {
		t.Run(fmt.Sprint("to ", target), func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 100, "", 0)
				m := w.join("192.0.2.10@me", takes(2*time.Second), func(c *consumer.Config) { c.PersistInterval = 500 * time.Millisecond })
				m.after(3 * time.Second)
				seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
				mend := w.onCode(protocol.UpdateConsumerOffset, func(*embedded.Request) embedded.Verdict {
					return embedded.DelayReply(4 * time.Second)
				})
				w.on("broker-a", func(b *embedded.Broker) { b.ResetOffset(group, topic, 0, target) })
				w.put(first, 1, "", 0) // ends the pull that is held at 100
				at := time.Now()
				s := m.after(3 * time.Second)
				if q := queue(s, first); q.State != snapshot.Dropped {
					t.Errorf("the queue is %v while its offset is repaired, want it dropped", q.State)
				}
				for _, c := range seen.commits(first) {
					if c.At.After(at) && c.Commit != target {
						t.Errorf("%d was committed %v after the reset to %d", c.Commit, c.At.Sub(at), target)
					}
				}
				mend()
				m.caughtUp(m.after(30*time.Second), 1)
			})
		})
	}
}

func TestFB7EndOfAQueueThatGoesBack(t *testing.T) {
	truncate := func(w *world) {
		w.on("broker-a", func(b *embedded.Broker) { b.Store.Truncate(b.Store.Queue(topic, 0), 90) })
	}
	t.Run("while it is pulled", func(t *testing.T) {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.put(first, 100, "", 0)
			m := w.join("192.0.2.10@me", nil)
			m.caughtUp(m.after(12*time.Second), 1)
			truncate(w)
			seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
			s := m.after(2 * time.Minute)
			if got := told(s, "the end of the queue went back from 100 to 90", "lost messages"); len(got) != 1 || got[0].Level != event.Error {
				t.Errorf("told %v, want one error:\n%s", got, texts(s))
			}
			for _, c := range seen.commits(first) {
				if c.Commit > 90 {
					t.Errorf("%d was committed beyond the end at 90", c.Commit)
				}
			}
			w.put(first, 5, "", 0)
			m.caughtUp(m.after(7*time.Second), 1)
		})
	})
	t.Run("while it is paused", func(t *testing.T) {
		inWorld(t, 1, func(w *world) {
			w.createTopic(topic, 1)
			w.put(first, 100, "", 0)
			m := w.join("192.0.2.10@me", nil)
			m.caughtUp(m.after(7*time.Second), 1)
			m.push.Pause()
			w.sendTo(first, 1) // ends the pull that is held; the next one is not made
			m.after(6 * time.Second)
			truncate(w)
			seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
			s := m.after(5 * time.Minute)
			if len(told(s, "the end of the queue went back from 101 to 90")) != 1 {
				t.Errorf("the loss is not told:\n%s", texts(s))
			}
			if q := queue(s, first); !q.Lag.OK() || q.Lag.V >= 0 || q.Mark != snapshot.MarkWarn {
				t.Errorf("lag %+v, mark %v (%s): a committed offset beyond the end is evidence", q.Lag, q.Mark, q.Note)
			}
			if list := seen.commits(first); len(list) != 0 {
				t.Errorf("committed beyond the end at 90: %v", list)
			}
			m.push.Resume()
			s = m.after(7 * time.Second)
			if len(told(s, "offset 101 is illegal", "continues at 90")) != 1 {
				t.Errorf("the correction is not told:\n%s", texts(s))
			}
			m.caughtUp(s, 1)
		})
	})
}

// slaved makes broker-b the slave of broker-a as far as routes say: alone when master is false.
func (w *world) slaved(master func() bool) {
	w.onCode(protocol.GetRouteInfoByTopic, func(*embedded.Request) embedded.Verdict {
		addrs := map[int64]string{1: addrOf("broker-b")}
		if master() {
			addrs[0] = addrOf("broker-a")
		}
		route := protocol.TopicRouteData{
			QueueDatas:  []protocol.QueueData{{BrokerName: "broker-a", ReadQueueNums: 1, WriteQueueNums: 1, Perm: 6}},
			BrokerDatas: []protocol.BrokerData{{Cluster: embedded.DefaultClusterName, BrokerName: "broker-a", Addrs: addrs}},
		}
		return embedded.Answer(&remoting.Command{Body: route.EncodeStandard()})
	})
}

// TestP08SlaveThatIsBehindMovesNoOffsetBack: the master has 268 messages, its slave 265; it
// dies and comes back.
func TestP08SlaveThatIsBehindMovesNoOffsetBack(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 1)
		alive := true
		w.slaved(func() bool { return alive })
		w.put(first, 268, "", 0)
		w.put(queueOf("broker-b", 0), 265, "", 0)
		seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
		m := w.join("192.0.2.10@me", nil)
		m.after(7 * time.Second)
		if got := w.committed(first); got != 268 {
			t.Fatalf("%d committed, want 268", got)
		}
		seen.forget()
		alive = false
		w.stopBroker("broker-a")
		s := m.after(2 * time.Minute)
		slave := seen.pulls(queueOf("broker-b", 0))
		if len(slave) == 0 {
			t.Fatal("the slave was never asked")
		}
		for _, p := range slave {
			if p.Offset != 268 || p.Commit >= 0 {
				t.Fatalf("the slave got %+v, want pulls at 268 that commit nothing", p)
			}
		}
		if n := perSecond(slave); n > 2 {
			t.Errorf("%d pulls a second from a slave that has nothing", n)
		}
		if len(told(s, "went back")) != 0 {
			t.Errorf("a slave that is behind counts as loss:\n%s", texts(s))
		}
		if len(told(s, "a slave says offset 268 is illegal", "not trusted")) != 1 {
			t.Errorf("it is not told that the slave is not trusted:\n%s", texts(s))
		}
		alive = true
		w.startBroker("broker-a")
		w.sendTo(first, 3)
		m.after(40 * time.Second)
		for _, p := range seen.pulls(first) {
			if p.Offset < 268 {
				t.Errorf("a pull at %d after the master came back", p.Offset)
			}
		}
		if got := w.committed(first); got != 271 || distinct(m) != 271 || repeated(m) != 0 {
			t.Errorf("%d committed, %d delivered, %d again", got, distinct(m), repeated(m))
		}
	})
}

// TestFB4SlaveServesWithoutItsMaster: messages flow, offsets wait for the master.
func TestFB4SlaveServesWithoutItsMaster(t *testing.T) {
	inWorld(t, 2, func(w *world) {
		w.createTopic(topic, 1)
		alive := true
		w.slaved(func() bool { return alive })
		w.put(first, 100, "", 0)
		w.put(queueOf("broker-b", 0), 150, "", 0)
		m := w.join("192.0.2.10@me", nil)
		m.after(7 * time.Second)
		alive = false
		w.stopBroker("broker-a")
		seen := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
		s := m.after(time.Minute)
		if n := distinct(m); n != 150 {
			t.Errorf("%d delivered, want 150: the slave's too", n)
		}
		if list := seen.commits(queueOf("broker-b", 0)); len(list) != 0 {
			t.Errorf("offsets were committed to a slave: %v", list)
		}
		if q := queue(s, first); q.Committed.V != 100 || q.Lag.V != 50 {
			t.Errorf("committed %d and lag %d are shown, the master has 100", q.Committed.V, q.Lag.V)
		}
		if n := len(told(s, "offsets can not be sent")); n != 1 || s.Counters.CommitsFailed < 10 {
			t.Errorf("commits that fail are not told:\n%s", texts(s))
		}
		alive = true
		w.startBroker("broker-a")
		w.put(first, 50, "", 0)
		m.after(45 * time.Second)
		if got := w.committed(first); got != 150 {
			t.Errorf("the master has %d committed, want 150", got)
		}
	})
}

// Apache's broker, which stores the first offsets of a group on several threads, may keep
// only one of them, and says nothing.
func TestOffsetThatItsBrokerLostIsSentAgain(t *testing.T) {
	tests := []struct {
		name string
		lost int // times that the broker loses the offset of the queue
		then func(m *member)
	}{
		{"with the next persist", 1, func(m *member) { m.after(5 * time.Second) }},
		{"when the member leaves at once", 1, func(m *member) { m.stop() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 4)
				w.send(40, "x")
				lost := 0
				w.onCode(protocol.UpdateConsumerOffset, func(r *embedded.Request) embedded.Verdict {
					if requestOf(r).Queue == first && lost < tt.lost {
						lost++
						return embedded.Drop
					}
					return embedded.Pass
				})
				// Idle queues are pulled again after 15 s only: no pull carries an offset along here.
				m := w.join("192.0.2.10@me", takes(time.Second))
				m.after(5500 * time.Millisecond)
				if lost != tt.lost || w.committed(first) > 0 || w.committed(queueOf("broker-a", 1)) != 10 {
					t.Fatalf("%d commits were lost, %d committed, %d of the next queue", lost, w.committed(first), w.committed(queueOf("broker-a", 1)))
				}
				tt.then(m)
				if got := w.committed(first); got != 10 {
					t.Errorf("%d committed, want 10", got)
				}
			})
		})
	}
}

func TestAnOffsetThatDoesNotChangeIsSentTwiceThenOnceAMinute(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		seen := w.record(protocol.UpdateConsumerOffset)
		m := w.join("192.0.2.10@me", takes(time.Second))
		m.after(134 * time.Second)
		began := seen.commits(first)[0].At
		var at []time.Duration
		for _, c := range seen.commits(first) {
			at = append(at, c.At.Sub(began))
		}
		if want := []time.Duration{0, 5 * time.Second, 65 * time.Second, 125 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("sent after %v, want %v", at, want)
		}
	})
}

// A one-way commit may be lost with its connection; nothing else would ever tell. No pull
// carries it along here: the member is paused.
func TestOffsetThatWasLostWithItsConnectionIsSentAgain(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.put(first, 10, "", 0)
		remove := w.onCode(protocol.UpdateConsumerOffset, func(*embedded.Request) embedded.Verdict { return embedded.Drop })
		m := w.join("192.0.2.10@me", takes(time.Second))
		m.after(time.Second)
		m.push.Pause()
		s := m.after(6 * time.Second)
		if q := queue(s, first); q.Committed.V != 10 || w.committed(first) != -1 {
			t.Fatalf("committed %d here, %d there, want the commit to be lost", q.Committed.V, w.committed(first))
		}
		remove()
		w.net.CutAll(addrOf("broker-a"))
		m.after(6 * time.Second)
		if got := w.committed(first); got != 10 {
			t.Errorf("%d committed a persist interval after the connection was replaced, want 10", got)
		}
	})
}

func TestUnreadableOffsetBodiesAreNamed(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		w.onCode(protocol.GetConsumerListByGroup, func(*embedded.Request) embedded.Verdict {
			return embedded.Answer(&remoting.Command{Body: []byte(`{"consumerIdList":[`)})
		})
		m := w.join("192.0.2.10@me", nil)
		s := m.after(5 * time.Second)
		if !strings.Contains(s.Group.RebalanceNote, "member list unknown") || s.MembersKnown.OK() {
			t.Errorf("the pass says %q, members %+v", s.Group.RebalanceNote, s.MembersKnown)
		}
	})
}
