package views

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRanksStandByNumberThenTextAndTheUnknownLast(t *testing.T) {
	ranks := func() []Rank {
		return []Rank{{Unknown: true, I: 0}, {N: 2, I: 1}, {N: 1, S: "b", I: 2}, {N: 1, S: "a", I: 3}, {N: 2, I: 4}, {Unknown: true, N: 9, I: 5}}
	}
	for _, tt := range []struct {
		desc bool
		want []int32
	}{
		{false, []int32{3, 2, 1, 4, 0, 5}},
		{true, []int32{1, 4, 2, 3, 5, 0}},
	} {
		list := ranks()
		Sort(list, tt.desc)
		var got []int32
		for _, r := range list {
			got = append(got, r.I)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("desc %v (-want +got):\n%s", tt.desc, diff)
		}
	}
}
