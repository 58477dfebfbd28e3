package cli

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/snapshot"
)

func TestConsumeLetsTheBrokerDivideTheQueues(t *testing.T) {
	ns := cluster(t)
	r := mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "40", "--size", "10")
	if r.code != exitOK {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, `"allotted_by":"AVG","allot_note":""`},
		{[]string{"--rebalance", "broker", "--strategy", "AVG_BY_CIRCLE"}, `"allotted_by":"broker","allot_note":""`},
		{[]string{"--rebalance", "broker", "--orderly"}, `"allotted_by":"AVG","allot_note":"queues consumed in order are always allotted by members"`},
	} {
		args := []string{"consume", "-n", ns, "-g", "by-" + strings.Join(tt.args, ""), "-t", "orders", "--from", "first", "--for", "2s", "--json"}
		r := mqscope(t, append(args, tt.args...)...)
		if r.code != exitOK || !strings.Contains(r.out, tt.want) || !strings.Contains(r.out, `"queues_owned":4`) {
			t.Errorf("%v: code %d, errors %q, want %s in\n%.2000s", tt.args, r.code, r.err, tt.want, r.out)
		}
	}
}

func TestAQueueThatNobodyReadsIsALineOfItsOwn(t *testing.T) {
	q := snapshot.Queue{Owner: snapshot.Of("10.0.0.2@1", time.Time{}), Note: "read by nobody: its owner does not subscribe to the topic"}
	if got, want := queueState(&q), "owned by 10.0.0.2@1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	q.Unread = true
	if got, want := queueState(&q), "owned by 10.0.0.2@1, read by nobody: its owner does not subscribe to the topic"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestQueuesSeenFromOutsideAreNobodysOfUs: what was inferred is of clients that are not ours.
func TestQueuesSeenFromOutsideAreNobodysOfUs(t *testing.T) {
	q := snapshot.Queue{State: snapshot.Pulling, Inferred: true, Owner: snapshot.Of("10.0.0.2@1", time.Time{})}
	if got, want := queueState(&q), "10.0.0.2@1, pulling"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	q.Owner = snapshot.Val[string]{Reason: "nobody was seen to pull it"}
	if got, want := queueState(&q), "pulling"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if q.Mine, q.Owner = true, snapshot.Of("10.0.0.2@1", time.Time{}); queueState(&q) != "ours, pulling" {
		t.Errorf("%q", queueState(&q))
	}
}
