package recorder

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/clock"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

func TestATapeServesAllRecordingsThatGoOn(t *testing.T) {
	dir := t.TempDir()
	var list []*recording.Writer
	for _, name := range []string{"a", "b"} {
		w, err := recording.Create(filepath.Join(dir, name), recording.Header{}, recording.Options{})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, w)
	}
	at := time.Unix(100, 5)
	tp := newTape(list)
	tp.Append(recording.Record{Kind: 6}) // before there is a time
	tp.Append(recording.Record{Kind: 1, At: at})
	tp.Append(recording.Record{Kind: 6})
	if tp.drop(list[0]) || tp.Err() != nil {
		t.Error("the other one goes on")
	}
	tp.Append(recording.Record{Kind: 2, At: at.Add(1)})
	tp.Fail(errors.New("a fault"))
	tp.look()
	if !errors.Is(tp.Err(), errOver) || list[0].Err() != nil || list[1].Err() == nil {
		t.Errorf("tape %v, dropped %v, other %v", tp.Err(), list[0].Err(), list[1].Err())
	}
	if tp = newTape(list[:1]); !tp.drop(list[0]) || tp.Err() == nil {
		t.Error("nobody is left, and that is not said")
	}
	for i, want := range [][]uint16{{1, 6}, {1, 6, 2}} {
		if err := list[i].Close(t.Context()); (err != nil) != (i == 1) {
			t.Error(err)
		}
		r, err := recording.Open(filepath.Join(dir, string(rune('a'+i))))
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range want {
			if e, err := r.Next(); err != nil || e.Kind != kind || e.At.Before(at) {
				t.Errorf("%d: %v, %+v, want kind %d", i, err, e, kind)
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%d: more: %v", i, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// boxed has a black box, and is of a consumer that never runs.
func boxed(t *testing.T) (r *Recorder, to string) {
	t.Helper()
	to = t.TempDir()
	instance, err := client.New(client.Config{NameServers: []string{"127.0.0.1:1"}, ClientID: "127.0.0.1@crash", Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := consumer.Config{
		Group: "g", Subscriptions: []consumer.Subscription{{Topic: "t"}}, Clock: clock.System{},
		Listener: func(context.Context, []mq.Message, *consume.Context) consume.Status { return consume.Success },
	}
	push, err := consumer.NewPush(cfg, instance)
	if err != nil {
		t.Fatal(err)
	}
	r, err = New(Config{Box: Box{Dir: filepath.Join(t.TempDir(), "box"), Limit: 1 << 20, SaveTo: to}}, clock.System{})
	if err != nil {
		t.Fatal(err)
	}
	r.Of("test", &cfg, push)
	return r, to
}

// lastSaved is what snapshots show of the black box.
func (r *Recorder) lastSaved() snapshot.SavedBox {
	var s snapshot.Snapshot
	r.Show(&s)
	return s.Recorder.Saved
}

// beginning is a record that a recording can begin with.
func (r *Recorder) beginning() {
	r.tape.Append(recording.Record{At: time.Unix(1, 0), Checkpoint: true})
}

// TestACrashSavesTheBlackBox: of whatever runs the consumer.
func TestACrashSavesTheBlackBox(t *testing.T) {
	for name, crash := range map[string]func() error{
		"an error": func() error { return errors.New("boom") },
		"a panic":  func() error { panic("boom") },
		"none":     func() error { return nil },
	} {
		r, to := boxed(t)
		var err error
		func() {
			defer func() { _ = recover() }()
			err = r.Around(t.Context(), func(context.Context) error {
				r.beginning()
				return crash()
			})
		}()
		saved, _ := filepath.Glob(filepath.Join(to, "g-*.mqrec"))
		if want := name != "none"; (len(saved) == 1) != want || (err != nil) != (name == "an error") {
			t.Errorf("%s: saved %v, error %v", name, saved, err)
		}
	}
}

// TestABrokenInvariantSavesTheBlackBox, and the end with an error does so at once, however short a
// time ago that was.
func TestABrokenInvariantSavesTheBlackBox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, to := boxed(t)
		broken := 0
		r.check = func(reply func([]snapshot.Breach)) {
			if broken++; broken > 10 {
				reply([]snapshot.Breach{{ID: "I13", What: "two tasks for t/a/0"}})
			}
		}
		err := r.Around(t.Context(), func(context.Context) error {
			r.beginning()
			time.Sleep(11 * time.Second)
			if saved := r.lastSaved(); saved.Times != 0 {
				t.Errorf("saved because of %q before it was due", saved.Why)
			}
			time.Sleep(9 * time.Second)
			if saved := r.lastSaved(); saved.Times != 1 || saved.Why != "invariant I13: two tasks for t/a/0" || filepath.Dir(saved.File) != to {
				t.Errorf("%+v", saved)
			}
			return errors.New("boom")
		})
		if saved := r.lastSaved(); err == nil || saved.Times != 2 || saved.Why != "boom" {
			t.Errorf("%v, in the end %+v", err, saved)
		}
	})
}
