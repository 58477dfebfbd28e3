package consumer_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/event"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// records are the stored messages of an answer, one by one.
func records(t *testing.T, body []byte) [][]byte {
	t.Helper()
	var b mq.Batch
	b.Reset(body, nil)
	if err := protocol.IndexMessages(&b, 0); err != nil {
		t.Fatal(err)
	}
	var list [][]byte
	for _, r := range b.Records {
		list = append(list, bytes.Clone(body[r.Pos:r.Pos+r.Size]))
	}
	return list
}

// records are the stored messages of a queue.
func (w *world) records(q mq.MessageQueue) (list [][]byte) {
	w.on(q.BrokerName, func(b *embedded.Broker) {
		at := b.Store.Lookup(q.Topic, q.QueueID)
		for offset := at.Min(); offset < at.Max(); offset++ {
			list = append(list, bytes.Clone(b.Store.RecordAt(at, offset)))
		}
	})
	return list
}

// overlapping answers pulls with 32 messages, the first of which stand up to 16 before the
// one that was asked for.
func overlapping(all [][]byte) func(*embedded.Request, int64) embedded.Verdict {
	return func(_ *embedded.Request, offset int64) embedded.Verdict {
		if offset >= int64(len(all)) {
			return embedded.Pass
		}
		from := max(0, offset-16)
		to := min(from+32, int64(len(all)))
		return embedded.Answer(&remoting.Command{
			Fields: protocol.Encode(&protocol.PullMessageResponse{NextBeginOffset: to, MaxOffset: int64(len(all))}),
			Body:   bytes.Join(all[from:to], nil),
		})
	}
}

// put32 is record with a number at a place of its layout.
func put32(record []byte, at int, v int32) []byte {
	binary.BigEndian.PutUint32(record[at:], uint32(v))
	return record
}

func TestFM3TruncatedAnswerKeepsItsGoodPrefix(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(list [][]byte) []byte
		next  int64 // offset of the pull after the broken answer
	}{
		{"cut in the sixth message", func(list [][]byte) []byte {
			return bytes.Join(append(list[:5:5], list[5][:40]), nil)
		}, 5},
		{"bytes behind the last message", func(list [][]byte) []byte {
			return append(bytes.Join(list, nil), "trailing"...)
		}, 10},
		{"the seventh says that it is longer than it is", func(list [][]byte) []byte {
			put32(list[6], 0, int32(len(list[6])+1))
			return bytes.Join(list, nil)
		}, 6},
		{"the fourth has an offset behind the end of the answer", func(list [][]byte) []byte {
			binary.BigEndian.PutUint64(list[3][20:], 1_000_000)
			return bytes.Join(list, nil)
		}, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 10, "", 0)
				pulls := w.record(protocol.PullMessage)
				books := w.ledger()
				spoiled := false
				w.onPull(first, func(*embedded.Request, int64) embedded.Verdict {
					if spoiled {
						return embedded.Pass
					}
					spoiled = true
					return embedded.Edit(func(resp *remoting.Command) { resp.Body = tt.spoil(records(t, resp.Body)) })
				})
				m := w.join("192.0.2.10@me", nil)
				s := m.after(7 * time.Second)
				if got := pulls.pulls(first); len(got) < 2 || got[1].Offset != tt.next {
					t.Errorf("pulls %v, want the second at %d", got, tt.next)
				}
				if len(told(s, "answer broken behind offset")) != 1 {
					t.Errorf("no event tells of the broken answer:\n%s", texts(s))
				}
				m.caughtUp(s, 1)
				books.once()
			})
		})
	}
}

func TestFM3UnreadableAnswerParksTheQueueAndIsNeverSkipped(t *testing.T) {
	const body, topicLength = 88, 88 + 4 // layout of a record with a body of four bytes
	tests := []struct {
		name  string
		spoil func(record []byte) []byte
	}{
		{"no bytes at all", func([]byte) []byte { return nil }},
		{"garbage", func([]byte) []byte { return []byte(strings.Repeat("garbage ", 40)) }},
		{"a size of zero", func(r []byte) []byte { return put32(r, 0, 0) }},
		{"a negative size", func(r []byte) []byte { return put32(r, 0, -1) }},
		{"a size beyond the answer", func(r []byte) []byte { return put32(r, 0, 1<<30) }},
		{"an unknown magic code", func(r []byte) []byte { return put32(r, 4, 0x0badcafe) }},
		{"a negative body length", func(r []byte) []byte { return put32(r, body-4, -5) }},
		{"a body length beyond the record", func(r []byte) []byte { return put32(r, body-4, 1<<30) }},
		{"a topic length beyond the record", func(r []byte) []byte { r[topicLength] = 127; return r }},
		{"an offset below zero", func(r []byte) []byte { binary.BigEndian.PutUint64(r[20:], 1<<63); return r }},
		{"an offset behind the end of the answer", func(r []byte) []byte { binary.BigEndian.PutUint64(r[20:], 99); return r }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 10, "", 4)
				pulls := w.record(protocol.PullMessage, protocol.UpdateConsumerOffset)
				books := w.ledger()
				mend := w.onPull(first, func(_ *embedded.Request, offset int64) embedded.Verdict {
					return embedded.Edit(func(resp *remoting.Command) {
						list := records(t, resp.Body)
						switch {
						case offset == 0:
							resp.Body = bytes.Join(append(list[:5:5], list[5][:7]), nil)
						case offset == 5:
							resp.Body = tt.spoil(list[0])
						}
					})
				})
				m := w.join("192.0.2.10@me", nil)
				s := m.after(60 * time.Second)
				var at []time.Duration
				list := pulls.pulls(first)
				for i, p := range list[1:] {
					if p.Offset != 5 {
						t.Fatalf("a pull at %d: offset 5 was skipped", p.Offset)
					}
					at = append(at, p.At.Sub(list[1].At).Round(100*time.Millisecond))
					if i == 3 {
						break
					}
				}
				if len(at) != 4 || at[1] < time.Second || at[2] < 2*time.Second || at[3] != at[2]+30*time.Second {
					t.Errorf("pulls at offset 5 after %v, want three a second apart, then one after 30 s", at)
				}
				q := queue(s, first)
				if q.Task.Cause != event.CauseUnreadable || q.Mark != snapshot.MarkBad || !strings.Contains(q.Note, "5") {
					t.Errorf("task %+v, mark %v (%s), want unreadable and bad", q.Task, q.Mark, q.Note)
				}
				parked := told(s, "parked at offset 5")
				if len(parked) != 1 || parked[0].Level != event.Error {
					t.Errorf("told %v, want one error", parked)
				}
				if got := w.committed(first); got != 5 || distinct(m) != 5 {
					t.Errorf("%d committed, %d delivered, want 5", got, distinct(m))
				}
				mend()
				s = m.after(31 * time.Second)
				if q := queue(s, first); q.Task.Cause == event.CauseUnreadable || q.Mark == snapshot.MarkBad || distinct(m) != 10 {
					t.Errorf("after the broker was mended: task %+v, %d delivered", q.Task, distinct(m))
				}
				m.after(5 * time.Second)
				books.check()
			})
		})
	}
}

func deflated(t *testing.T, plain []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	if _, err := z.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFM6BodiesThatCanNotBeInflatedAreSentBackUnseen(t *testing.T) {
	const zlibFlag = mq.CompressedFlag | protocol.CompressionZLIB<<mq.CompressionTypeShift
	whole := deflated(t, bytes.Repeat([]byte("mqscope "), 64))
	tests := []struct {
		name    string
		body    []byte
		sysFlag int32
		why     string
	}{
		{"a bomb: a megabyte out of a kilobyte", deflated(t, make([]byte, 1<<20)), zlibFlag, "over the limit"},
		{"a stream that ends early", whole[:len(whole)/2], zlibFlag, "damaged"},
		{"a codec that does not exist", whole, mq.CompressedFlag | 7<<mq.CompressionTypeShift, "7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 1, "", 0)
				w.on("broker-a", func(b *embedded.Broker) {
					host := netip.MustParseAddrPort("192.0.2.1:10911")
					bad := protocol.StoredMessage{Topic: topic, Body: tt.body, SysFlag: tt.sysFlag, BornHost: host, StoreHost: host}
					if _, err := b.Store.Append(b.Store.Queue(topic, 0), &bad, 0); err != nil {
						t.Error(err)
					}
				})
				w.put(first, 1, "", 0)
				back := w.record(protocol.ConsumerSendMsgBack)
				m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
					if msg.QueueOffset() == 1 || len(msg.Body()) > 100 {
						t.Errorf("the listener was given offset %d with %d bytes", msg.QueueOffset(), len(msg.Body()))
					}
					return consume.Success
				}, func(c *consumer.Config) { c.MaxReconsume = 1 })
				s := m.after(40 * time.Second)
				if n := len(back.all(func(request) bool { return true })); n != 2 {
					t.Errorf("sent back %d times, want twice: to the retry topic, then to the dead-letter topic", n)
				}
				dead := mq.MessageQueue{Topic: mq.DeadLetterTopic(group), BrokerName: "broker-a"}
				if n := w.end(dead); n != 1 {
					t.Errorf("%d dead letters, want 1", n)
				}
				if got := told(s, "body of offset 1 can not be read", tt.why); len(got) != 1 || got[0].Level != event.Error {
					t.Errorf("no error tells why:\n%s", texts(s))
				}
				m.caughtUp(s, 1)
			})
		})
	}
}

func TestFN6AnswerAfterItsDeadlineIsNotConsumed(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		pulls := w.record(protocol.PullMessage)
		delayed := false
		w.onPull(first, func(*embedded.Request, int64) embedded.Verdict {
			if delayed {
				return embedded.Pass
			}
			delayed = true
			return embedded.DelayReply(40 * time.Second)
		})
		w.put(first, 5, "", 0)
		m := w.join("192.0.2.10@me", nil)
		for range 60 { // the other queue keeps the connection alive
			w.sendTo(queueOf("broker-a", 1), 1)
			time.Sleep(time.Second)
		}
		s := m.after(0)
		if list := pulls.pulls(first); len(list) < 2 || list[1].Offset != 0 || list[1].At.Sub(list[0].At) != 31*time.Second {
			t.Errorf("pulls %v, want the second 31 s after the first", list)
		}
		if s.Counters.LateAnswers != 1 {
			t.Errorf("%d late answers were counted, want 1", s.Counters.LateAnswers)
		}
		if n := repeated(m); n != 0 || m.deliveries("0-4 ") != 1 {
			t.Errorf("%d messages were delivered again", n)
		}
	})
}

func TestFN7DoubledAnswersAndUnknownOnesAreCountedAndIgnored(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		var doubled atomic.Uint64
		w.wire.through(func(_ string, frame []byte) ([]byte, error) {
			if !bytes.Contains(frame, []byte("x-")) {
				return frame, nil
			}
			doubled.Add(1)
			other, err := remoting.DecodeFrame(bytes.Clone(frame[4:]), remoting.Limits{})
			if err != nil {
				return nil, err
			}
			other.Opaque = 0x7fff_fff0
			out := append(bytes.Clone(frame), frame...)
			return remoting.AppendFrame(out, other, remoting.Limits{})
		})
		m := w.join("192.0.2.10@me", nil)
		for i := range 20 {
			w.send(1, fmt.Sprint("x-", i))
			time.Sleep(100 * time.Millisecond)
		}
		s := m.after(5 * time.Second)
		n := doubled.Load()
		if c := s.Counters; n < 10 || c.LateAnswers != n || c.UnknownAnswers != n || c.Received != 20 || c.Consumed != 20 {
			t.Errorf("%d answers came twice, counters %+v", n, c)
		}
		if repeated(m) != 0 || distinct(m) != 20 {
			t.Errorf("%d delivered, %d again", distinct(m), repeated(m))
		}
		m.caughtUp(s, 1)
	})
}
