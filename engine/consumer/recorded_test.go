package consumer_test

import (
	"bytes"
	"slices"
	"sync"
	"testing"

	"mqscope/engine/consumer"
	"mqscope/engine/decision"
	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

// reel is a recording in memory.
type reel struct {
	mu   sync.Mutex
	list []recording.Record
	err  error
}

func (t *reel) Append(r recording.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Payload = bytes.Clone(r.Payload)
	t.list = append(t.list, r)
}

func (t *reel) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

func (t *reel) Fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
}

// record has all that m does recorded, from its beginning.
func (m *member) record() {
	m.tape = &reel{}
	m.push.Record(m.tape)
}

// remake has the loop do once more what was recorded: it must do the same, and show the same.
// Every test of members is one of this, too.
func (m *member) remake() {
	t := m.w.t
	t.Helper()
	if err := m.tape.Err(); err != nil {
		t.Errorf("%s: recording: %v", m.id, err)
	}
	if raceEnabled && len(m.tape.list) > 300 {
		return // nothing of it is concurrent, and it takes its time under the race detector
	}
	r, err := consumer.NewRemake(m.push.Setup(), consumer.Types(), false)
	if err != nil {
		t.Errorf("%s: %v", m.id, err)
		return
	}
	compared, began := 0, false
	if len(m.id)%2 == 0 {
		r.WatchDecisions(onlooker{}) // who watches changes nothing
	}
	last := m.push.Snapshot()
	m.shots = append(m.shots, last)
	for i, rec := range m.tape.list {
		if rec.Checkpoint && !began {
			began = true
			if err := r.Restore(rec); err != nil {
				t.Errorf("%s: record %d: %v", m.id, i, err)
				return
			}
			continue
		}
		if !began {
			continue
		}
		if _, err := r.Take(rec, uint64(i)); err != nil {
			t.Errorf("%s: record %d: %v", m.id, i, err)
			return
		}
		if r.Departed() != "" {
			t.Errorf("%s: of %d records, %s", m.id, len(m.tape.list), r.Departed())
			return
		}
		compared += m.sameShown(consumer.Published(r))
		if i%500 == 1 {
			picturesChangeNothing(t, r)
		}
	}
	if !began && len(m.tape.list) > 0 {
		t.Errorf("%s: %d records, none of them a checkpoint", m.id, len(m.tape.list))
	}
	if len(m.shots) > 0 && compared == 0 && len(m.tape.list) > 3 {
		t.Errorf("%s: none of %d snapshots was made again", m.id, len(m.shots))
	}
	if began && (last.Source.State != snapshot.Ended || slices.Contains(m.shots, last)) {
		t.Errorf("%s: its last snapshot, %v, was not made again", m.id, last.Source.State)
	}
}

// picturesChangeNothing makes one beside the run.
func picturesChangeNothing(t *testing.T, r *consumer.Remake) {
	t.Helper()
	before := consumer.StateOf(r)
	r.Picture()
	after := consumer.StateOf(r)
	for name, was := range before {
		if !bytes.Equal(was, after[name]) {
			t.Errorf("a picture changes %s", name)
		}
	}
}

// sameShown compares a snapshot with the one of that number which the member showed.
func (m *member) sameShown(s *snapshot.Snapshot) int {
	i := slices.IndexFunc(m.shots, func(shot *snapshot.Snapshot) bool { return shot.Seq == s.Seq })
	if i < 0 {
		return 0
	}
	shot := m.shots[i]
	m.shots = slices.Delete(m.shots, i, i+1)
	if !bytes.Equal(consumer.Bytes(shot), consumer.Bytes(s)) {
		m.w.t.Errorf("%s: snapshot %d is not what it was", m.id, s.Seq)
		differAt(m.w.t, shot, s)
	}
	return 1
}

func differAt(t *testing.T, was, is *snapshot.Snapshot) {
	t.Helper()
	t.Logf("was %+v", was.Queues)
	t.Logf("is  %+v", is.Queues)
}

// onlooker is told decisions and keeps none.
type onlooker struct{}

func (onlooker) Decided(*decision.Decision) {}
