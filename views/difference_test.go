package views

import (
	"testing"

	"mqscope/engine/snapshot"
	"mqscope/themes"
)

func TestDifferencesNameTheFirstTopicAndCountTheRest(t *testing.T) {
	c := cleanerFor(themes.Unicode())
	only, more := snapshot.Difference{Topic: "pays", Ours: "*"}, snapshot.Difference{Topic: "stock", Theirs: "*"}
	tags := snapshot.Difference{Topic: "orders", Ours: "A", Theirs: "B\x1b[31m || C"}
	for _, tt := range []struct {
		list []snapshot.Difference
		want string
	}{
		{nil, ""},
		{[]snapshot.Difference{only}, "pays only here"},
		{[]snapshot.Difference{more, only}, "stock only there, +1"},
		{[]snapshot.Difference{tags, only, more}, "orders B␛[31m || C there, +2"},
	} {
		got := c.Differences(tt.list)
		if got.String() != tt.want {
			t.Errorf("%v: %q, want %q", tt.list, got, tt.want)
		}
	}
}
