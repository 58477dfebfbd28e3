package views

import (
	"cmp"
	"slices"
	"strings"

	"mqscope/engine/snapshot"
)

// Rank is what a row is ordered by: a number, then a text. Unknown ones come last in both
// directions; equal ones keep their order in the snapshot.
type Rank struct {
	Unknown bool
	N       int64
	S       string
	I       int32 // where it is in the snapshot
}

// Sort orders ranks, from the large end where desc says so.
func Sort(ranks []Rank, desc bool) {
	slices.SortFunc(ranks, func(a, b Rank) int {
		if a.Unknown != b.Unknown {
			if a.Unknown {
				return 1
			}
			return -1
		}
		c := cmp.Compare(a.N, b.N)
		if c == 0 {
			c = strings.Compare(a.S, b.S)
		}
		if desc {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a.I, b.I))
	})
}

// SameQueues tells whether indexes into the queues of a mean the same ones in b.
func SameQueues(a, b *snapshot.Snapshot) bool {
	if len(a.Queues) != len(b.Queues) {
		return false
	}
	for i := range a.Queues {
		if a.Queues[i].ID != b.Queues[i].ID {
			return false
		}
	}
	return true
}
