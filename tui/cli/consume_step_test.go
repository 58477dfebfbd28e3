package cli

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/engine/step"
	"mqscope/engine/step/command"
)

func TestStepNeedsWhoeverSteps(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want []string
	}{
		{"no terminal", []string{"--step"}, []string{"--step needs a terminal", "mqscope step SCENARIO --script FILE"}},
		{"lines", []string{"--step", "--plain"}, []string{"--step needs the screen", "leave out --plain and --json"}},
		{"JSON", []string{"--step", "--json"}, []string{"--step needs the screen"}},
		{"nothing may be changed", []string{"--step", "--read-only", "always"}, []string{"--step and --read-only always", "give one of them"}},
		{"breakpoints of nobody", []string{"--breakpoints", "mine"}, []string{"--breakpoints mine", "give --step too"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := mqscope(t, append([]string{"consume", "-n", "127.0.0.1:1", "-g", "g", "-t", "t"}, tt.args...)...)
			if r.code != exitUsage || r.out != "" {
				t.Errorf("code %d, output %q", r.code, r.out)
			}
			containsAll(t, "the errors", r.err, tt.want...)
		})
	}
}

// TestADrivenMemberTakesAllCommands: those that step are carried out here, others by the consumer.
func TestADrivenMemberTakesAllCommands(t *testing.T) {
	member, err := engine.Open(engine.Config{
		NameServers: []string{cluster(t)}, ClientID: "127.0.0.1@driven",
		Consumer: consumer.Config{
			Group: "g", From: mq.FromFirstOffset, Subscriptions: []consumer.Subscription{{Topic: "orders"}},
			Listener: func(context.Context, []mq.Message, *consume.Context) consume.Status { return consume.Success },
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	source := driven{step.NewLive(step.LiveConfig{Consumer: member, Group: "g"}), member}
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- source.Run(ctx) }()
	source.Do(command.SetBreakpoint{Text: "flow.span"})
	source.Do(engine.Pause{})
	source.Do(command.Back{N: 1})
	var words []string
	for range source.Updates() {
		s := source.Snapshot()
		if !s.Mode.Paused || len(s.Sched.Breakpoints) == 0 || !refused(s) {
			continue
		}
		words = append(words, s.Sched.Breakpoints[0].Words)
		break
	}
	if diff := cmp.Diff([]string{"flow.span"}, words); diff != "" {
		t.Errorf("breakpoints (-want +got):\n%s", diff)
	}
	leave()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func refused(s *snapshot.Snapshot) bool {
	for _, e := range s.Events.Entries {
		if e.What == "not done: only on virtual time: a live cluster goes on by itself" {
			return true
		}
	}
	return false
}
