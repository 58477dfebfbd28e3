package client

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

// assigned answers with a list, as it is.
func assigned(list []protocol.MessageQueueAssignment) handler {
	return func(*remoting.Command) *remoting.Command {
		return &remoting.Command{Body: protocol.QueryAssignmentResponse{Assignments: list}.Encode()}
	}
}

func TestQueryAssignment(t *testing.T) {
	q := protocol.MessageQueueAssignment{Queue: mq.MessageQueue{Topic: "T", BrokerName: "a", QueueID: 1}, Mode: protocol.ModePull}
	for _, tt := range []struct {
		name   string
		answer handler
		want   []protocol.MessageQueueAssignment
		class  Class
		took   time.Duration
	}{
		{"queues", assigned([]protocol.MessageQueueAssignment{q}), []protocol.MessageQueueAssignment{q}, OK, 0},
		{"no queues are not nil", assigned([]protocol.MessageQueueAssignment{}), []protocol.MessageQueueAssignment{}, OK, 0},
		{"no answer of the broker is nil", assigned(nil), nil, OK, 0},
		{"a broker that does not know the code", code(protocol.RequestCodeNotSupported, "request type 400 not supported"), nil, Invalid, 0},
		{"silence", silent, nil, Lost, 2 * time.Second},
		{"a body that is none", func(*remoting.Command) *remoting.Command {
			return &remoting.Command{Body: []byte(`{"messageQueueAssignments":{}`)}
		}, nil, Broken, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				_, a := w.oneBroker()
				i := w.client(Config{})
				a.answer(protocol.QueryAssignment, tt.answer)
				begin := time.Now()
				got, err := i.QueryAssignment(w.ctx, "T", "G", "AVG", mq.Clustering, 2*time.Second)
				if Classify(err) != tt.class || time.Since(begin) != tt.took {
					t.Errorf("error is %v of class %v after %v, want %v after %v", err, Classify(err), time.Since(begin), tt.class, tt.took)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("assignments (-want +got):\n%s", diff)
				}
				asked, err := protocol.DecodeQueryAssignmentRequest(a.got(protocol.QueryAssignment)[0].Body)
				if err != nil {
					t.Fatal(err)
				}
				want := protocol.QueryAssignmentRequest{ClientID: "10.1.2.9@test", ConsumerGroup: "G", MessageModel: mq.Clustering, StrategyName: "AVG", Topic: "T"}
				if diff := cmp.Diff(want, asked); diff != "" {
					t.Errorf("question (-want +got):\n%s", diff)
				}
			})
		})
	}
	bubble(t, func(w *world) {
		w.serve(ns1).names(nil)
		if _, err := w.client(Config{}).QueryAssignment(w.ctx, "T", "G", "AVG", mq.Clustering, time.Second); !errors.Is(err, ErrNoRoute) {
			t.Errorf("of a topic without a route: %v", err)
		}
	})
}

// TestQueryAssignmentAsksOneBroker: another one is asked only when the first was not reached.
func TestQueryAssignmentAsksOneBroker(t *testing.T) {
	bubble(t, func(w *world) {
		_, a, b := w.twoBrokers()
		a.answer(protocol.QueryAssignment, code(protocol.SystemBusy, ""))
		b.answer(protocol.QueryAssignment, code(protocol.SystemBusy, ""))
		i, _ := w.joined()
		synctest.Wait()
		const times = 20
		for range times {
			if _, err := i.QueryAssignment(w.ctx, "T", "G", "AVG", mq.Clustering, time.Second); Classify(err) != Busy {
				t.Errorf("error is %v", err)
			}
		}
		na, nb := len(a.got(protocol.QueryAssignment)), len(b.got(protocol.QueryAssignment))
		if na+nb != times || na == 0 || nb == 0 {
			t.Errorf("asked %d and %d times, want %d in all, both at times", na, nb, times)
		}
		w.net.Refuse(ba, errRefused)
		a.stop()
		synctest.Wait() // until its connection has ended
		b.answer(protocol.QueryAssignment, assigned([]protocol.MessageQueueAssignment{}))
		for range 8 {
			if got, err := i.QueryAssignment(w.ctx, "T", "G", "AVG", mq.Clustering, time.Second); err != nil || got == nil {
				t.Errorf("got %v, %v", got, err)
			}
		}
	})
}
