package recorder_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/memnet"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/recorder"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

const recordedTopic = "orders"

// recordedMember is a consumer on an embedded cluster, in a bubble.
type recordedMember struct {
	*engine.Live
	t       *testing.T
	cfg     engine.Config
	cluster *embedded.Cluster
	leave   func() error

	mu  sync.Mutex
	got []string // bodies, in the order they came
}

// member opens a consumer; change, unless nil, may set it up otherwise.
func member(t *testing.T, change func(c *engine.Config)) *recordedMember {
	t.Helper()
	network := memnet.New()
	cluster, err := embedded.New(embedded.Config{
		Brokers: []string{"broker-a"}, NameServerAddr: "ns:9876", BrokerAddrs: []string{"a:10911"}, Listen: network.Listen,
	})
	if err != nil {
		t.Fatal(err)
	}
	m := &recordedMember{t: t, cluster: cluster}
	m.cfg = engine.Config{
		Name: "test", NameServers: []string{"ns:9876"}, ClientID: "192.0.2.1@recorded", Dial: network.Dial,
		Consumer: consumer.Config{
			Group: "billing", From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: recordedTopic}},
			Listener: func(_ context.Context, msgs []mq.Message, _ *consume.Context) consume.Status {
				m.mu.Lock()
				defer m.mu.Unlock()
				for _, one := range msgs {
					m.got = append(m.got, string(one.Body()))
				}
				return consume.Success
			},
		},
		Recording: recorder.Config{Program: "mqscope test"},
	}
	if change != nil {
		change(&m.cfg)
	}
	if m.Live, err = engine.Open(m.cfg); err != nil {
		t.Fatal(err)
	}
	return m
}

// join runs cluster and consumer until leave is called.
func (m *recordedMember) join() {
	m.t.Helper()
	clusterCtx, end := context.WithCancel(m.t.Context())
	clusterDone := make(chan error, 1)
	go func() { clusterDone <- m.cluster.Run(clusterCtx) }()
	<-m.cluster.Ready()
	if err := m.cluster.CreateTopic(recordedTopic, 4); err != nil {
		m.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(m.t.Context())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	m.leave = func() error {
		stop()
		err := <-done
		end()
		return errors.Join(err, <-clusterDone)
	}
}

// send sends messages with these bodies and properties.
func (m *recordedMember) send(properties []protocol.Property, bodies ...string) {
	m.t.Helper()
	cfg := m.cfg
	cfg.ClientID, cfg.Recording = "192.0.2.9@producer", recorder.Config{}
	p, err := engine.OpenProducer(cfg)
	if err != nil {
		m.t.Fatal(err)
	}
	err = p.Run(m.t.Context(), func(ctx context.Context, send engine.SendFunc) error {
		for _, body := range bodies {
			if err := send(ctx, client.OutMessage{Topic: recordedTopic, Body: []byte(body), Properties: properties}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// bodies are so many different ones.
func bodies(n int) (list []string) {
	for i := range n {
		list = append(list, strings.Repeat("b", 1+i%40)+string(rune('0'+i%10)))
	}
	return list
}

// consumed checks that each of n messages came, and once.
func (m *recordedMember) consumed(n int) {
	m.t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.got) != n {
		m.t.Errorf("%d messages consumed, want %d", len(m.got), n)
	}
}

func (m *recordedMember) events() string {
	var b strings.Builder
	for _, e := range m.Snapshot().Events.Entries {
		b.WriteString(e.Level.String() + " " + e.What + "\n")
	}
	return b.String()
}

func (m *recordedMember) says(words ...string) {
	m.t.Helper()
	m.Snapshot() // somebody looks: the next one comes soon
	time.Sleep(time.Second)
	events := m.events()
	for _, w := range words {
		if !strings.Contains(events, w) {
			m.t.Errorf("events do not say %q:\n%s", w, events)
		}
	}
}

// remakeFile has the consumer do again what is recorded at path, up to where the file ends or is
// cut. It must do the same.
func remakeFile(t *testing.T, path string) (events int, messages []consumer.Delivered) {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	return remade(t, r)
}

func remade(t *testing.T, r *recording.Reader) (events int, messages []consumer.Delivered) {
	t.Helper()
	meta := r.Header().Meta
	again, err := consumer.NewRemake([]byte(meta["setup"]), meta["types"], false)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := consumer.NewMessageReader(meta["types"])
	if err != nil {
		t.Fatal(err)
	}
	for begun := false; ; {
		e, err := r.Next()
		if _, cut := errors.AsType[*recording.Damage](err); errors.Is(err, io.EOF) || cut {
			return events, messages
		}
		if err != nil {
			t.Fatal(err)
		}
		d, ok, err := reader.Read(e.Record)
		switch {
		case err != nil:
			t.Fatal(err)
		case ok:
			messages = append(messages, d)
		}
		switch {
		case begun:
			var counted bool
			if counted, err = again.Take(e.Record, e.Number); counted {
				events++
			}
		case e.Checkpoint:
			begun = true
			if err = again.Restore(e.Record); err != nil {
				break
			}
			if c := again.Picture().Counters; c.Received > 0 && c.Consumed == 0 {
				t.Error("a recording that began in the midst does not show what was consumed before")
			}
		}
		if err != nil || again.Departed() != "" {
			t.Fatalf("record %d: %v, %s", e.Number, err, again.Departed())
		}
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%s: mode %v", path, info.Mode())
	}
	return info.Size()
}

// TestARecordingIsRemade: of a whole run, and of one that a recording was made in the midst of.
func TestARecordingIsRemade(t *testing.T) {
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "whole.mqrec"), filepath.Join(dir, "midst.mqrec"), filepath.Join(dir, "again.mqrec")}
	synctest.Test(t, func(t *testing.T) {
		m := member(t, nil)
		if err := m.StartRecording(recorder.Record{File: paths[0]}); err != nil {
			t.Fatal(err)
		}
		m.join()
		m.send([]protocol.Property{{Name: "KEYS", Value: "k1"}}, bodies(500)...)
		time.Sleep(5 * time.Second)
		if r := m.Snapshot().Recorder; !r.On || r.File != paths[0] || r.Bytes == 0 || r.Box || r.Err != "" {
			t.Errorf("recorder %+v", r)
		}
		for _, path := range paths[1:] {
			m.Do(recorder.Stop{})
			time.Sleep(time.Second)
			if m.Snapshot().Recorder.On {
				t.Error("it is recorded after it was stopped")
			}
			m.Do(recorder.Record{File: path})
			time.Sleep(time.Second)
			m.send(nil, bodies(100)...)
			time.Sleep(20 * time.Second)
		}
		m.consumed(700)
		m.says("info recording to "+paths[2], "info recorded to "+paths[1])
		if err := m.leave(); err != nil {
			t.Error(err)
		}
		if r := m.Recorded(); r.On || r.File != paths[2] || r.Err != "" || r.Bytes != size(t, paths[2]) {
			t.Errorf("in the end %+v", r)
		}
	})
	for i, want := range []int{500, 100, 100} {
		events, messages := remakeFile(t, paths[i])
		got := 0
		for _, d := range messages {
			got += len(d.Messages)
		}
		if events < 20 || got != want {
			t.Errorf("%s: %d events, %d messages", paths[i], events, got)
		}
	}
}

// TestACutRecordingIsRemadeUpToThere: a file that a killed process left, at many lengths.
func TestACutRecordingIsRemadeUpToThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mqrec")
	synctest.Test(t, func(t *testing.T) {
		m := member(t, nil)
		if err := m.StartRecording(recorder.Record{File: path}); err != nil {
			t.Fatal(err)
		}
		m.join()
		for range 12 {
			m.send(nil, bodies(40)...)
			time.Sleep(2 * time.Second)
		}
		if err := m.leave(); err != nil {
			t.Error(err)
		}
	})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, _ := remakeFile(t, path)
	before, cuts := 0, 0
	for n := len(whole) / 4; n < len(whole); n += 997 {
		r, err := recording.NewReader(strings.NewReader(string(whole[:n])), int64(n))
		if err != nil {
			if _, empty := errors.AsType[*recording.EmptyError](err); !empty {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		events, _ := remade(t, r)
		if events < before || events > all {
			t.Errorf("cut at %d: %d events, %d when cut earlier, %d in all", n, events, before, all)
		}
		before = events
		cuts++
	}
	if cuts < 10 || before == 0 {
		t.Errorf("%d cuts, %d events", cuts, before)
	}
}

func TestAFileThatMayNotBeWrittenIsRefused(t *testing.T) {
	dir := t.TempDir()
	there, link, locked := filepath.Join(dir, "there"), filepath.Join(dir, "link"), filepath.Join(dir, "missing", "x")
	if err := os.WriteFile(there, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "target"), link); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		m := member(t, nil)
		if _, ok := errors.AsType[*recorder.ExistsError](m.StartRecording(recorder.Record{File: there})); !ok {
			t.Error("what is there may be replaced")
		}
		m.join()
		time.Sleep(time.Second)
		m.Do(recorder.Record{File: there})
		m.Do(recorder.Record{File: link})
		m.Do(recorder.Record{File: link, Replace: true})
		m.Do(recorder.Record{File: locked})
		m.Do(recorder.Record{File: dir, Replace: true})
		m.Do(recorder.Stop{})
		m.Do(recorder.Save{})
		time.Sleep(time.Second)
		m.says("warn not done: "+there+" is there already: give another name, or replace it with --force",
			"not done: "+link+" is there already", "not done: record to "+link+": replace", "not done: record to "+locked,
			"not done: record to "+dir, "nothing is recorded to a file", "there is no black box")
		if m.Snapshot().Recorder != (snapshot.Recorder{}) {
			t.Errorf("recorder %+v", m.Snapshot().Recorder)
		}
		m.Do(recorder.Record{File: there, Replace: true})
		time.Sleep(time.Second)
		m.Do(recorder.Record{File: locked})
		time.Sleep(time.Second)
		m.says("info recording to "+there, "it is recorded to "+there+" already")
		if err := m.leave(); err != nil {
			t.Error(err)
		}
	})
	if _, err := os.Lstat(filepath.Join(dir, "target")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a symbolic link was followed: %v", err)
	}
	if events, _ := remakeFile(t, there); events == 0 {
		t.Error("nothing was recorded")
	}
}
