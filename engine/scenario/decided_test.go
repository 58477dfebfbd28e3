package scenario_test

import (
	"strings"
	"testing"

	"mqscope/engine/scenario"
	"mqscope/engine/step"
	"mqscope/engine/step/script"
)

// Right where it is decided that a request is put back, scripts see it waiting, though the code
// has not come to doing so.
func TestAScriptSeesWhatWasDecided(t *testing.T) {
	s, err := scenario.Find("put-back")
	if err != nil {
		t.Fatal(err)
	}
	stepper, err := step.New(scenario.Maker(s, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer stepper.Close()
	text := `until flow.count if count > 10
expect task 1 delayed 50ms
expect queue orders/broker-a/0 if task_state == "delayed" && cause == "flow:count"
print tasks
step
expect task 1 delayed 50ms
`
	script1, err := script.Parse("decided", text)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	failed, err := script.Run(t.Context(), stepper, script1, script.Options{Out: &out})
	if err != nil || len(failed) > 0 {
		t.Errorf("%v, failed: %v\n%s", err, failed, out.String())
	}
	if !strings.Contains(out.String(), "task 1  orders/broker-a/0  next 16  delayed 50ms, why flow:count") {
		t.Errorf("the printed task does not wait:\n%s", out.String())
	}
}
