package snapshot

import (
	"testing"
	"time"
)

func TestAValueIsWhatIsKnownOfIt(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, c := range []struct {
		name string
		v    Val[int]
		want State
		ok   bool
	}{
		{"the zero value is unknown, not zero", Val[int]{}, Unknown, false},
		{"a failed reading is unknown", UnknownBecause[int]("no answer"), Unknown, false},
		{"a value without meaning stays so however old", NA[int]().Aged(now, time.Second), NotApplicable, false},
		{"a fresh reading is known", Of(7, now).Aged(now.Add(time.Second), time.Second), Known, true},
		{"a reading older than its limit is stale", Of(7, now).Aged(now.Add(time.Second+1), time.Second), Stale, true},
		{"an unknown value does not become stale", Val[int]{}.Aged(now, 0), Unknown, false},
	} {
		if c.v.State != c.want || c.v.OK() != c.ok {
			t.Errorf("%s: state %d, OK %v", c.name, c.v.State, c.v.OK())
		}
	}
}
