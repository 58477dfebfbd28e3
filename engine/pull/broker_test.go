package pull

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/event"
	"mqscope/engine/mq"
)

func suggest(id int64) func(*event.PullDone) { return func(d *event.PullDone) { d.Suggest = id } }

// sentTo tells which broker the next pull goes to.
func sentTo(t *testing.T, p *Pull) Send {
	t.Helper()
	s, ok := p.Step(start, turnAt(100, func(t *Turn) { t.CommitOffset = 90 }))[0].(Send)
	if !ok {
		t.Fatal("no pull was sent")
	}
	return s
}

func TestFB4SuggestedBrokerIsFollowedWhateverTheStatus(t *testing.T) {
	for _, answer := range []event.PullDone{
		done(mq.Found, 132, count(32)), done(mq.Found, 132), done(mq.Found, 100),
		done(mq.NoNewMsg, 100), done(mq.NoMatchedMsg, 400),
	} {
		p := New(Config{})
		answer.Suggest = 2
		pulled(t, p, answer)
		if got := sentTo(t, p).BrokerID; got != 2 {
			t.Errorf("after %v that suggests 2 the pull goes to %d", answer.Status, got)
		}
		answer.Suggest = 0
		p.Step(start, answer)
		if got := sentTo(t, p).BrokerID; got != 0 {
			t.Errorf("after %v that suggests 0 the pull goes to %d", answer.Status, got)
		}
	}
}

func TestFB4NothingIsCommittedAtASlave(t *testing.T) {
	p := New(Config{})
	if s := sentTo(t, p); s.SysFlag != 3 || s.Commit != 90 {
		t.Errorf("to the master: flags %d, commit %d, want 3, 90", s.SysFlag, s.Commit)
	}
	p.Step(start, done(mq.Found, 132, count(32), suggest(1)))
	if s := sentTo(t, p); s.SysFlag != 2 || s.Commit != 0 {
		t.Errorf("to a slave: flags %d, commit %d, want 2, 0", s.SysFlag, s.Commit)
	}
}

func TestAnErrorCodeKeepsTheSuggestionAndSilenceEndsIt(t *testing.T) {
	p := New(Config{})
	pulled(t, p, done(mq.Found, 132, count(32), suggest(1)))
	pulled(t, p, failed(2, errBoom))
	if got := sentTo(t, p).BrokerID; got != 1 {
		t.Errorf("after an error code the pull goes to %d, want 1", got)
	}
	p.Step(start, failed(0, errBoom))
	if got := sentTo(t, p).BrokerID; got != 0 {
		t.Errorf("after no answer the pull goes to %d, want the master", got)
	}
}

func TestANewAssignmentBeginsAtTheMaster(t *testing.T) {
	p := New(Config{})
	pulled(t, p, done(mq.Found, 132, count(32), suggest(1)))
	p.Step(start, event.QueueRevoked{Queue: queueID, Epoch: 6}) // an earlier one: nothing to forget
	if got := sentTo(t, p).BrokerID; got != 1 {
		t.Errorf("the pull goes to %d, want 1", got)
	}
	p.Step(start, event.QueueRevoked{Queue: queueID, Epoch: 7})
	if len(p.queues) != 0 {
		t.Errorf("%d queues are remembered", len(p.queues))
	}
	if got := sentTo(t, p).BrokerID; got != 0 {
		t.Errorf("the pull goes to %d, want the master", got)
	}
}

func TestP08CorrectionOfALaggingSlaveIsNotTrusted(t *testing.T) {
	illegal := func(d *event.PullDone) { d.Offset, d.Min, d.Max = 30_268, 0, 30_265 }
	want := []Action{
		entryOf(event.Warn, "a slave says offset 30268 is illegal, the queue has [0, 30265): not trusted, the master is asked"),
		backOf(30_268, time.Second, event.CauseException),
	}
	for name, suggested := range map[string]int64{"a slave that suggests itself": 1, "a slave that suggests the master": 0} {
		p := New(Config{})
		pulled(t, p, done(mq.NoNewMsg, 100, suggest(1)))
		p.Step(start, turnAt(30_268))
		got := p.Step(start, done(mq.OffsetIllegal, 0, illegal, suggest(suggested)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		s := p.Step(start, turnAt(30_268))[0].(Send)
		if s.BrokerID != mq.MasterID {
			t.Errorf("%s: the next pull goes to %d, want the master", name, s.BrokerID)
		}
		// The master is trusted: it is the truth, even when it lost messages.
		got = p.Step(start, done(mq.OffsetIllegal, 30_266, func(d *event.PullDone) { d.Offset, d.Min, d.Max = 30_268, 0, 30_266 }))
		repair := []Action{RepairOffset{Queue: queueID, Epoch: 7, Asked: 30_268, Next: 30_266, Max: 30_266}}
		if diff := cmp.Diff(repair, got); diff != "" {
			t.Errorf("%s, then the master (-want +got):\n%s", name, diff)
		}
	}
}

// The pull was meant for the master, which is down: a slave answered in its place.
func TestP08CorrectionOfASlaveThatStandsInIsNotTrusted(t *testing.T) {
	p := New(Config{})
	got := pulled(t, p, done(mq.OffsetIllegal, 97, func(d *event.PullDone) { d.Slave, d.Max = true, 97 }))
	want := []Action{
		entryOf(event.Warn, "a slave says offset 100 is illegal, the queue has [50, 97): not trusted, the master is asked"),
		backOf(100, time.Second, event.CauseException),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
}

func TestS2AnswersThatDoNotBelongToThePullThatIsOutAreIgnored(t *testing.T) {
	p := New(Config{})
	answer := done(mq.Found, 132, count(32))
	if got := p.Step(start, answer); got != nil {
		t.Errorf("without a pull: %v", got)
	}
	pulled(t, p, answer)
	if got := p.Step(start, answer); got != nil {
		t.Errorf("the same answer again: %v", got)
	}
	p.Step(start, turnAt(132))
	if got := p.Step(start, answer); got != nil {
		t.Errorf("the same answer again while the next pull is out: %v", got)
	}
	stale := answer
	stale.Epoch, stale.Offset = 6, 132
	if got := p.Step(start, stale); got != nil {
		t.Errorf("an answer of an earlier assignment: %v", got)
	}
	p.Step(start, event.QueueRevoked{Queue: queueID, Epoch: 7})
	answer.Offset = 132
	if got := p.Step(start, answer); got != nil {
		t.Errorf("an answer after the queue was given up: %v", got)
	}
}
