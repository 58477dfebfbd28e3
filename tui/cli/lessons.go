package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mqscope/engine/scenario"
)

func lessonsCommand(p Process) *cobra.Command {
	var f stepFlags
	cmd := &cobra.Command{
		Use:   "lessons [NAME|NUMBER]",
		Short: "Learn how a consumer works, in ten lessons to step through",
		Long: `Lists the lessons, or opens the one that is named on the Scheduler screen. Each is a small
world on virtual time, with a few sentences beside it and the states that it will come to. The
first key to press is . for one decision; , takes it back, and p runs up to the next of the states.`,
		Example:           "  mqscope lessons\n  mqscope lessons 3",
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completeScenarios(scenario.Lessons()),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.load(cmd); err != nil {
				return err
			}
			if len(args) == 0 {
				return listLessons(cmd)
			}
			s, err := oneScenario(cmd, args)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), p, s)
		},
	}
	f.addStep(cmd)
	return cmd
}

// listLessons prints number, name and title of each, and its first sentence.
func listLessons(cmd *cobra.Command) error {
	var b strings.Builder
	for _, s := range scenario.Lessons() {
		fmt.Fprintf(&b, "%2d  %-16s %s\n      %s\n", s.Lesson, s.Name, s.Title, firstSentence(s.Text[0]))
	}
	b.WriteString("\nmqscope lessons NUMBER opens one.\n")
	_, err := fmt.Fprint(cmd.OutOrStdout(), b.String())
	return err
}

func firstSentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i+1]
	}
	return text
}
