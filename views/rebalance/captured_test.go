package rebalance

import (
	"testing"

	"mqscope/views/viewtest/captured"
)

func TestGoldenFramesOfCaptures(t *testing.T) { captured.Goldens(t, root, "rebalance", subject()) }
