package picture_test

import (
	"testing"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/event"
)

// TestAnswersThatTheCaptureLostAreNoWarnings: nobody knows whether there was trouble.
func TestAnswersThatTheCaptureLostAreNoWarnings(t *testing.T) {
	const why = "its answer may be among what the capture lost"
	for _, f := range []infer.Fact{infer.PullDone{Why: why}, infer.Called{Why: why}} {
		if got := picture.Level(f); got >= event.Warn {
			t.Errorf("%T: level %v", f, got)
		}
	}
	if got := picture.Level(infer.PullDone{Why: "the connection was reset"}); got != event.Warn {
		t.Errorf("without a loss: level %v", got)
	}
}
