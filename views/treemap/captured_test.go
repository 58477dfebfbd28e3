package treemap

import (
	"testing"

	"mqscope/views/viewtest/captured"
)

func TestGoldenFramesOfCaptures(t *testing.T) { captured.Goldens(t, root, "map", subject()) }
