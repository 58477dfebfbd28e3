package consumer

import (
	"strings"
	"testing"

	"mqscope/engine/snapshot"
)

// TestAnEventWithNonsenseInItIsSaidToBeOne, by whoever lists a recording or plays it.
func TestAnEventWithNonsenseInItIsSaidToBeOne(t *testing.T) {
	l := &List{}
	m, ok := l.moment((*errand)(nil), nil)
	if !ok || !strings.Contains(m.Words, "consumer.errand, which makes no sense") {
		t.Errorf("%v %+v", ok, m)
	}
	if s := snapshot.SourceState(200).String(); s != "unknown" {
		t.Errorf("a state that there is not is %q", s)
	}
}
