package pull

import "mqscope/engine/decision"

// is records the answer to a question and returns it.
func (a *answer) is(line *decision.Line, yes bool, n [6]int64) bool {
	a.record(line, yes, n, "", decision.Then{})
	return yes
}

// mustBe is is for a question whose answer must be want, else the caller has the queue stay
// where it is.
func (a *answer) mustBe(want bool, line *decision.Line, yes bool, n [6]int64) bool {
	then := decision.Then{}
	if yes != want {
		then = a.staying()
	}
	a.record(line, yes, n, "", then)
	return yes
}

func (a *answer) record(line *decision.Line, yes bool, n [6]int64, text string, then decision.Then) {
	if a.Decisions.On() {
		a.Decisions.Record(&decision.Decision{
			Line: line, Queue: a.done.Queue, Task: a.queue.task, Yes: yes, N: n, Text: text, Then: then,
		})
	}
}

func (a *answer) tellAnswer() {
	d := &a.done
	n := [6]int64{int64(d.Took), int64(d.Count), d.Next, d.Min, d.Max, d.Suggest}
	a.record(decision.PullAnswer, false, n, d.Status.String(), decision.Then{})
}
