package keymap

import (
	"fmt"
	"strings"
)

// Markdown is the key table of the README: group by group, one row an action.
func (m *Map) Markdown() string {
	var b strings.Builder
	b.WriteString("| Keys | What happens | Where | Id |\n| --- | --- | --- | --- |\n")
	for g := Leave; g <= Change; g++ {
		head := false
		for _, a := range m.actions {
			if a.Group != g {
				continue
			}
			if !head {
				fmt.Fprintf(&b, "| **%s** | | | |\n", g)
				head = true
			}
			fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n",
				markdownKeys(a.Keys), cell(a.Help), strings.Join(a.Where.Names(), ", "), a.ID)
		}
	}
	return b.String()
}

func markdownKeys(keys []string) string {
	if len(keys) == 0 {
		return "unbound"
	}
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = "`" + cell(Display(k)) + "`"
	}
	return strings.Join(out, " ")
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// Display is a key's name for people: the space bar has no picture of its own.
func Display(key string) string {
	if key == " " {
		return "space"
	}
	return key
}
