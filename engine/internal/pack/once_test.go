package pack_test

import (
	"sync"
	"testing"

	"mqscope/engine/internal/pack"
)

// TestATypeIsCompiledWhileOthersAppend finds races, with the race detector.
func TestATypeIsCompiledWhileOthersAppend(t *testing.T) {
	type first struct{ N int }
	type second struct{ F []first }
	type third struct{ S map[string]second }
	c := pack.New()
	c.Append(nil, &first{})
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		for range 1000 {
			c.Append(nil, &first{N: 1})
		}
	})
	c.Append(nil, &second{})
	c.Append(nil, &third{})
}
