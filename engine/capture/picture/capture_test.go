package picture_test

import (
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/infer/infertest"
	"mqscope/engine/capture/picture"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// story is what was inferred from one capture.
type story struct {
	t      testing.TB
	events []infer.Event
	start  time.Time // of the first frame, as in the README beside the captures
}

func read(t testing.TB, name string) *story {
	t.Helper()
	told := infertest.Read(t, name)
	return &story{t: t, events: told.Events, start: told.Start}
}

// world is both halves of what pictures are made of.
type world struct {
	s *infer.State
	m *picture.Memory
}

func newWorld() *world { return &world{infer.NewState(), picture.NewMemory()} }

func (w *world) step(e infer.Event) {
	w.s.Step(e)
	w.m.Step(w.s, e)
}

func (w *world) clone() *world { return &world{w.s.Clone(), w.m.Clone()} }

// at is the world so many seconds after the first frame, and that moment.
func (s *story) at(seconds float64) (*world, time.Time) {
	at := s.start.Add(time.Duration(seconds * float64(time.Second)))
	w := newWorld()
	for _, e := range s.events {
		if e.At.After(at) {
			break
		}
		w.step(e)
	}
	return w, at
}

// picture is the whole group so many seconds after the first frame.
func (s *story) picture(group string, seconds float64) *snapshot.Snapshot {
	w, at := s.at(seconds)
	return picture.Picture(w.s, w.m, picture.Options{Group: group, At: at, Watched: []mq.MessageQueue{order(0)}})
}

// end is behind the last event.
const end = 1e6

func order(id int32) mq.MessageQueue {
	return mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: id}
}

func retry(group string) mq.MessageQueue {
	return mq.MessageQueue{Topic: mq.RetryTopic(group), BrokerName: "broker-a"}
}
