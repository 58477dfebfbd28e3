package cli

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"mqscope/keymap"
	"mqscope/tui/config"
)

func keysCommand() *cobra.Command {
	var markdown bool
	var configFile string
	cmd := &cobra.Command{
		Use: "keys", Short: "Print the keys of the screen", Args: noArguments,
		Long: `Prints every action of the screen with its keys, the configuration's changes included.
Entries of the configuration that can not be used go to standard error.`,
		Example: "  mqscope keys\n  mqscope keys --markdown",
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := config.Load(cmd.Flags(), configFile, knownKeys(cmd.Root()))
			if err != nil {
				return usageError{err}
			}
			keys, problems := keymap.New(loaded.Keys)
			for _, p := range problems {
				fmt.Fprintln(cmd.ErrOrStderr(), "mqscope: "+clean(p.String()))
			}
			text := keyTable(keys)
			if markdown {
				text = keys.Markdown()
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().StringVar(&configFile, "config", "", "configuration `FILE`, instead of config.yaml in the per-user folder")
	config.Bool(cmd.Flags(), &markdown, "markdown", "as the table that README has")
	return cmd
}

// keyTable has a line an action under the headings of help.
func keyTable(m *keymap.Map) string {
	var b strings.Builder
	for _, g := range m.HelpGroups(keymap.InViews | keymap.InOverlay | keymap.InInput) {
		fmt.Fprintf(&b, "%s\n", g.Group)
		for _, a := range g.Actions {
			names := make([]string, len(a.Keys))
			for i, k := range a.Keys {
				names[i] = keymap.Display(k)
			}
			keys := strings.Join(names, " ")
			pad := strings.Repeat(" ", max(18-ansi.StringWidth(keys), 1))
			fmt.Fprintf(&b, "  %s%s%-22s %s (%s)\n", keys, pad, a.ID, a.Help, strings.Join(a.Where.Names(), ", "))
		}
	}
	return b.String()
}
