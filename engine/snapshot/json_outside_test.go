package snapshot

import (
	"encoding/json"
	"testing"
	"time"
)

// TestWhatDoesNotShowFromOutsideIsNull: no zero stands for what nobody can know.
func TestWhatDoesNotShowFromOutsideIsNull(t *testing.T) {
	s := exampleSnapshot()
	s.Replay = Replay{Known: true, Inferred: true, Client: "c"}
	s.Group.Kind = PassiveKind
	for i := range s.Queues {
		q := &s.Queues[i]
		q.Inferred, q.Acked, q.Task = true, 7, Task{}
		q.Lock = Lock{Used: true, BrokerSays: LockHeld, GrantedAt: s.At, Since: s.At.Add(-time.Minute), Renewals: 3}
	}
	line, err := Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Source   map[string]any
		Group    map[string]any
		Queues   []map[string]any
		Counters map[string]any
	}
	if err := json.Unmarshal(line, &got); err != nil {
		t.Fatal(err)
	}
	if got.Source["provenance"] != "inferred" || got.Source["client"] != "c" {
		t.Errorf("source %v", got.Source)
	}
	null := func(of map[string]any, names ...string) {
		t.Helper()
		why, _ := of["unknown"].(map[string]any)
		for _, name := range names {
			if v, there := of[name]; !there || v != nil || why[name] == "" || why[name] == nil {
				t.Errorf("%s is %v because %v, want null with the reason", name, v, why[name])
			}
		}
	}
	null(got.Group, "strategy", "limits", "threads", "orderly")
	null(got.Counters, "consumed", "duplicates")
	q := got.Queues[0]
	null(q, "in_listener", "flow", "put_backs", "task")
	lock := q["lock"].(map[string]any)
	null(lock, "client_lease_ms", "broker_lease_ms", "renew_at", "try_unlock")
	if q["acked"] != 7.0 || lock["renewals"] != 3.0 || lock["since"] == nil {
		t.Errorf("queue %v", q)
	}
}
