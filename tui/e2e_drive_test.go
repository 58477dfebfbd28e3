//go:build e2e && unix

package tui_test

import (
	"strings"
	"testing"
)

// A live consumer is stepped by hand beside another member: nothing is pulled at first, a turn is
// gone through and made, a run stops at a breakpoint, and it is left in the midst of a turn.
func TestE2EALiveConsumerIsStepped(t *testing.T) {
	script := `$BIN broker --listen 127.0.0.1:0 --broker-port 0 >$DIR/broker &
until grep -q 'name server on' $DIR/broker; do sleep 0.1; done
NS=$(sed -n 's/^name server on \([^,]*\),.*/\1/p' $DIR/broker)
export NS
$BIN produce -n $NS -t orders --count 400
$BIN consume -n $NS -g billing -t orders --from first --plain </dev/null >$DIR/other &
until grep -q pulling $DIR/other; do sleep 0.1; done
` + around("consume -n $NS -g billing -t orders --from first --join-existing --step --limit-count 10 --handler-delay 1h")
	for _, size := range [][2]int{{120, 36}, {80, 24}} {
		m := newTmux(t, size[0], size[1], script, colours)
		m.see("STEP drives billing")
		m.see("Between two turns: ")
		m.until("two held pulls of the topic", func(s string) bool { return strings.Count(s, "held ") >= 2 })
		m.press(".")
		m.see("1 decision so far")
		m.press(".", ".")
		m.see("3 decisions so far")
		m.press("T")
		m.see("turn over")
		m.press("B", "Enter")
		m.see("a line, and if you like")
		m.write("flow.count if yes")
		m.press("Enter")
		m.see("break flow.count")
		m.press(",")
		m.see("only on virtual time")
		m.press("p")
		m.see("Stopped: break flow.count if yes, in the turn of #")
		m.press("C-c")
		m.see("leave group")
		m.press("C-c")
		m.see("EXIT 0")
		m.see("MODES SAME")
	}
}
