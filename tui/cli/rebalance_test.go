package cli

import (
	"strings"
	"testing"
)

func TestConsumeLetsTheBrokerDivideTheQueues(t *testing.T) {
	ns := cluster(t)
	r := mqscope(t, "produce", "-n", ns, "-t", "orders", "--count", "40", "--size", "10")
	if r.code != exitOK {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, `"allotted_by":"AVG","allot_note":""`},
		{[]string{"--rebalance", "broker", "--strategy", "AVG_BY_CIRCLE"}, `"allotted_by":"broker","allot_note":""`},
		{[]string{"--rebalance", "broker", "--orderly"}, `"allotted_by":"AVG","allot_note":"queues consumed in order are always allotted by members"`},
	} {
		args := []string{"consume", "-n", ns, "-g", "by-" + strings.Join(tt.args, ""), "-t", "orders", "--from", "first", "--for", "2s", "--json"}
		r := mqscope(t, append(args, tt.args...)...)
		if r.code != exitOK || !strings.Contains(r.out, tt.want) || !strings.Contains(r.out, `"queues_owned":4`) {
			t.Errorf("%v: code %d, errors %q, want %s in\n%.2000s", tt.args, r.code, r.err, tt.want, r.out)
		}
	}
}
