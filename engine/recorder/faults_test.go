package recorder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mqscope/engine"
	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/recorder"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
)

// badDisk is the computer's disk, on which writing goes wrong once there is a fault.
type badDisk struct {
	recording.Disk
	mu    sync.Mutex
	fault func(p []byte) (int, error) // how much is written, and what comes back
}

func (d *badDisk) breaks(fault func(p []byte) (int, error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = fault
}

func (d *badDisk) Create(path string) (recording.File, error) {
	f, err := d.Disk.Create(path)
	return &badFile{f, d}, err
}

type badFile struct {
	recording.File
	disk *badDisk
}

func (f *badFile) WriteAt(p []byte, at int64) (int, error) {
	f.disk.mu.Lock()
	fault := f.disk.fault
	f.disk.mu.Unlock()
	if fault == nil {
		return f.File.WriteAt(p, at)
	}
	n, failed := fault(p)
	if n, err := f.File.WriteAt(p[:n], at); err != nil {
		return n, err
	}
	return n, failed
}

// TestAnEndOfTheRecordingIsNoneOfTheConsumer: whatever the disk does, every message is consumed
// once, the screen says what is with the recording, and the file plays up to where it ends.
func TestAnEndOfTheRecordingIsNoneOfTheConsumer(t *testing.T) {
	goOn := make(chan struct{})
	for _, tt := range []struct {
		name  string
		fault func(p []byte) (int, error)
		says  string // "": it goes on
	}{
		{"full", func([]byte) (int, error) { return 0, syscall.ENOSPC }, "make room, or record elsewhere"},
		{"full within a block", func(p []byte) (int, error) { return len(p) / 2, syscall.ENOSPC }, "make room, or record elsewhere"},
		{"a short write", func(p []byte) (int, error) { return len(p) / 3, nil }, "short write"},
		{"broken", func([]byte) (int, error) { return 0, syscall.EIO }, "look after the disk"},
		{"slow", func(p []byte) (int, error) { time.Sleep(time.Second / 2); return len(p), nil }, ""},
		{"stands still", func(p []byte) (int, error) { <-goOn; return len(p), nil }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.mqrec")
			disk := &badDisk{}
			synctest.Test(t, func(t *testing.T) {
				m := member(t, func(c *engine.Config) { c.Recording.FS = disk })
				if err := m.StartRecording(recorder.Record{File: path}); err != nil {
					t.Fatal(err)
				}
				goOn = make(chan struct{})
				m.join()
				m.send(nil, bodies(300)...)
				time.Sleep(5 * time.Second)
				disk.breaks(tt.fault)
				m.send(nil, bodies(300)...)
				time.Sleep(10 * time.Second)
				m.send(nil, bodies(100)...)
				time.Sleep(10 * time.Second)
				m.consumed(700)
				r := m.Snapshot().Recorder
				if r.On != (tt.says == "") || !strings.Contains(r.Err, tt.says) {
					t.Errorf("recorder %+v", r)
				}
				if tt.says != "" {
					m.says("err recording to "+path+": write "+path+": ", tt.says, "the recording has ended at its last whole block")
				}
				begun := time.Now()
				if err := m.leave(); err != nil {
					t.Error(err)
				}
				if took := time.Since(begun); took > 20*time.Second {
					t.Errorf("leaving took %v", took)
				}
				if r := m.Recorded(); tt.name == "stands still" && !strings.Contains(r.Err, "stands still") || tt.name == "slow" && r.Err != "" {
					t.Errorf("in the end %+v", r)
				}
				close(goOn)
				time.Sleep(time.Minute) // what was left alone ends as well
			})
			if events, _ := remakeFile(t, path); events < 20 {
				t.Errorf("%d events", events)
			}
		})
	}
}

// boxed opens a member with a black box.
func boxed(t *testing.T, change func(c *engine.Config)) (m *recordedMember, to string) {
	to = t.TempDir()
	dir := filepath.Join(t.TempDir(), "box")
	return member(t, func(c *engine.Config) {
		c.Recording.Box = recorder.Box{Dir: dir, Limit: 1 << 20, SaveTo: to}
		if change != nil {
			change(c)
		}
	}), to
}

func recordings(t *testing.T, dir string) (paths []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.mqrec"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		size(t, path)
		if events, _ := remakeFile(t, path); events == 0 {
			t.Errorf("%s has no event", path)
		}
	}
	return paths
}

func TestABlackBoxIsSavedWhenSomethingGoesWrong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, to := boxed(t, func(c *engine.Config) {
			take := c.Consumer.Listener
			c.Consumer.Listener = func(ctx context.Context, msgs []mq.Message, cc *consume.Context) consume.Status {
				if string(msgs[0].Body()) == "panic" && msgs[0].ReconsumeTimes() == 0 {
					panic("this is what went wrong")
				}
				return take(ctx, msgs, cc)
			}
		})
		m.join()
		m.send(nil, bodies(100)...)
		time.Sleep(3 * time.Second)
		if r := m.Snapshot().Recorder; !r.On || !r.Box || r.Limit != 1<<20 || r.Bytes == 0 {
			t.Errorf("recorder %+v", r)
		}
		if n := len(recordings(t, to)); n != 0 {
			t.Errorf("%d saved, nothing went wrong", n)
		}
		m.send(nil, "panic")
		time.Sleep(5 * time.Second)
		m.says("this is what went wrong", ": black box saved to "+to)
		if why := m.Snapshot().Recorder.Saved.Why; strings.Contains(why, "\n") || !strings.HasSuffix(why, "this is what went wrong") {
			t.Errorf("saved because of %q: the stack is for the event stream", why)
		}
		m.send(nil, "panic", "panic")
		time.Sleep(5 * time.Second)
		if n := len(recordings(t, to)); n != 1 {
			t.Errorf("%d saved, want 1: a minute is not over", n)
		}
		for range 8 {
			time.Sleep(6 * time.Minute)
			m.send(nil, "panic")
		}
		time.Sleep(5 * time.Second)
		m.says("warn black box not saved, it was 5 times by itself within 24 hours")
		if n := len(recordings(t, to)); n != 5 {
			t.Errorf("%d saved by itself, want 5 at most", n)
		}
		own := filepath.Join(to, "own.mqrec")
		m.Do(recorder.Save{File: own})
		m.Do(recorder.Save{File: own})
		m.Do(recorder.Save{})
		time.Sleep(time.Second)
		m.says("black box saved to "+own, "not done: "+own+" is there already")
		if n := len(recordings(t, to)); n != 7 {
			t.Errorf("%d saved", n)
		}
		if err := m.leave(); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(m.cfg.Recording.Box.Dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the box is left: %v", err)
		}
	})
}

// TestABlackBoxIsSavedWhenTheConsumerFails: what Run returns is a reason as well.
func TestABlackBoxIsSavedWhenTheConsumerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		m, to := boxed(t, func(c *engine.Config) {
			c.Consumer.Listener = func(context.Context, []mq.Message, *consume.Context) consume.Status {
				<-hold
				return consume.Success
			}
		})
		m.join()
		m.send(nil, "held")
		time.Sleep(3 * time.Second)
		if err := m.leave(); err == nil {
			t.Error("a listener that never returned is no error")
		}
		close(hold)
		if n := len(recordings(t, to)); n != 1 {
			t.Errorf("%d saved", n)
		}
	})
}

// TestABlackBoxStaysWithinItsLimit, and goes on beside a recording to a file.
func TestABlackBoxStaysWithinItsLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.mqrec")
	synctest.Test(t, func(t *testing.T) {
		m, to := boxed(t, func(c *engine.Config) { c.Recording.Keep.Bodies = policy.Full })
		m.join()
		most := int64(0)
		for i := range 60 {
			var list []string
			for j := range 20 {
				list = append(list, fmt.Sprintf("%d %x", i, noise(i*20+j, 2000)))
			}
			m.send(nil, list...)
			time.Sleep(3 * time.Second)
			if r := m.Snapshot().Recorder; r.Box {
				most = max(most, r.Bytes)
			}
			switch i {
			case 20:
				m.Do(recorder.Record{File: path})
			case 22:
				m.Do(recorder.Save{}) // recording began anew in its midst
			case 40:
				if r := m.Snapshot().Recorder; !r.On || r.Box || r.File != path {
					t.Errorf("recorder %+v", r)
				}
				m.Do(recorder.Stop{})
			}
		}
		if most < 1<<19 || most > 5<<18 {
			t.Errorf("the box had %d bytes, its limit is 1 MiB", most)
		}
		m.consumed(1200)
		m.Do(recorder.Save{})
		time.Sleep(time.Second)
		if n := len(recordings(t, to)); n != 2 {
			t.Errorf("%d saved", n)
		}
		if err := m.leave(); err != nil {
			t.Error(err)
		}
	})
	if events, messages := remakeFile(t, path); events == 0 || len(messages) == 0 {
		t.Errorf("%d events, %d batches", events, len(messages))
	}
}

// noise is text that does not get smaller.
func noise(seed, n int) []byte {
	b := make([]byte, n)
	x := uint64(seed)*0x9e3779b97f4a7c15 + 1
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return b
}

// TestNoSecretGetsIntoARecording: secrets with a mark are put wherever there may be some, and the
// file is searched for them.
func TestNoSecretGetsIntoARecording(t *testing.T) {
	const mark = "c0ffee"
	path := filepath.Join(t.TempDir(), "a.mqrec")
	synctest.Test(t, func(t *testing.T) {
		m := member(t, func(c *engine.Config) {
			c.Recording.Keep = policy.Policy{Bodies: policy.Hash, Deny: []string{"card*"}}
			c.Consumer.UserInfo = map[string]string{"password": "user" + mark}
			take := c.Consumer.Listener
			c.Consumer.Listener = func(ctx context.Context, msgs []mq.Message, cc *consume.Context) consume.Status {
				if msgs[0].ReconsumeTimes() == 0 && string(msgs[0].Body()) == mark+"panic" {
					panic("can not log in: password=panic" + mark)
				}
				return take(ctx, msgs, cc)
			}
		})
		if err := m.StartRecording(recorder.Record{File: path}); err != nil {
			t.Fatal(err)
		}
		m.join()
		m.send([]protocol.Property{
			{Name: "AccessKey", Value: "prop" + mark}, {Name: "Signature", Value: "prop" + mark}, {Name: "CardNumber", Value: mark},
			{Name: "note", Value: "token=" + mark}, {Name: "harmless", Value: "kept"},
		}, mark, mark+"panic")
		m.Tell("AccessKey=told" + mark)
		time.Sleep(10 * time.Second)
		if events := m.events(); strings.Contains(events, mark) || !strings.Contains(events, "can not log in: password=[removed]") {
			t.Errorf("the screen shows secrets, or lacks the panic:\n%s", events)
		}
		if err := m.leave(); err != nil {
			t.Error(err)
		}
	})
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	look := func(what, text string) {
		if i := strings.Index(text, mark); i >= 0 {
			t.Errorf("%s: a secret: %q", what, text[max(0, i-60):i+len(mark)])
		}
	}
	look("the header", fmt.Sprint(r.Header()))
	kept := false
	for {
		e, err := r.Next()
		if err != nil {
			break
		}
		look(fmt.Sprintf("record %d of kind %d", e.Number, e.Kind), string(e.Payload))
		kept = kept || strings.Contains(string(e.Payload), "harmless\x01kept")
	}
	if !kept {
		t.Error("properties that are no secrets are missing")
	}
}
