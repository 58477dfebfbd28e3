package consumer_test

import (
	"context"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// source is what all consumers of this package are to a test.
type source interface {
	Run(ctx context.Context) error
	Snapshot() *snapshot.Snapshot
}

// running is a consumer that was started, with the instance it runs on.
type running struct {
	w        *world
	id       string
	source   source
	instance *client.Instance
	leave    context.CancelFunc
	done     chan error
	ended    bool
}

// start runs a consumer on an instance of its own. The test must call stop or end.
func start[S source](w *world, id string, make func(i *client.Instance) (S, error)) (S, *running) {
	w.t.Helper()
	instance := w.instance(id, w.wire.Dial)
	s, err := make(instance)
	if err != nil {
		w.t.Fatal(err)
	}
	return s, w.startOn(instance, id, s)
}

func (w *world) startOn(instance *client.Instance, id string, s source) *running {
	r := &running{w: w, id: id, source: s, instance: instance}
	r.leave, r.done = w.run(instance, id, s)
	return r
}

// end stops the consumer and returns how that went; a second call does nothing.
func (r *running) end() error {
	if r.ended {
		return nil
	}
	r.ended = true
	r.leave()
	return <-r.done
}

func (r *running) stop() {
	r.w.t.Helper()
	if err := r.end(); err != nil {
		r.w.t.Errorf("%s: %v", r.id, err)
	}
}

// after lets d of virtual time pass and returns the newest snapshot.
func (r *running) after(d time.Duration) *snapshot.Snapshot {
	time.Sleep(d)
	synctest.Wait()
	r.source.Snapshot() // read, so that the loop builds a newer one
	time.Sleep(150 * time.Millisecond)
	synctest.Wait()
	return r.source.Snapshot()
}

// puller starts a pull consumer that has registered topic.
func (w *world) puller(id string, change ...func(*consumer.PullConfig)) (*consumer.Pull, *running) {
	w.t.Helper()
	cfg := consumer.PullConfig{MemberConfig: consumer.MemberConfig{Group: group}, Topics: []string{topic}}
	for _, fn := range change {
		fn(&cfg)
	}
	return start(w, id, func(i *client.Instance) (*consumer.Pull, error) { return consumer.NewPull(cfg, i) })
}

// unregistered is a change of a puller that has no topic.
func unregistered(c *consumer.PullConfig) { c.Topics = nil }

// seenRequests keeps the requests of one code that a world's servers get.
type seenRequests struct {
	mu   sync.Mutex
	list []seenRequest
}

type seenRequest struct {
	at  time.Time
	cmd remoting.Command
}

func (w *world) watch(code protocol.RequestCode) *seenRequests {
	s := &seenRequests{}
	w.cluster.Intercept(int32(code), func(r *embedded.Request) embedded.Verdict {
		s.mu.Lock()
		defer s.mu.Unlock()
		cmd := *r.Cmd
		cmd.Fields, cmd.Body = slices.Clone(cmd.Fields), slices.Clone(cmd.Body)
		s.list = append(s.list, seenRequest{time.Now(), cmd})
		return embedded.Pass
	})
	return s
}

// take returns what was seen since the last call.
func (s *seenRequests) take() []seenRequest {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.list
	s.list = nil
	return out
}

// headersOf decodes what was seen.
func headersOf[H any, P interface {
	*H
	protocol.Header
}](w *world, list []seenRequest) []H {
	w.t.Helper()
	out := make([]H, len(list))
	for i := range list {
		if err := protocol.Decode(list[i].cmd.Fields, P(&out[i])); err != nil {
			w.t.Error(err)
		}
	}
	return out
}

// texts of messages.
func bodies(msgs []mq.Message) []string {
	out := []string{}
	for _, m := range msgs {
		out = append(out, string(m.Body()))
	}
	return out
}
