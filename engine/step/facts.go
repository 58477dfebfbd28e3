package step

import (
	"maps"
	"slices"

	"github.com/expr-lang/expr/vm"
)

// Facts is a condition over values that are not those of a decision, as of a queue or a task.
type Facts struct {
	text    string
	program *vm.Program
	uses    []string
}

// CompileFacts reads a condition over values of the kinds of known: int, bool or string. of says
// in errors what has these values.
func CompileFacts(text, of string, known map[string]any) (*Facts, error) {
	program, used, err := compile(text, maps.Clone(known), vocabulary{of: of, known: slices.Sorted(maps.Keys(known))})
	if err != nil {
		return nil, err
	}
	f := &Facts{text: text, program: program}
	for name := range known {
		if used[name] {
			f.uses = append(f.uses, name)
		}
	}
	slices.Sort(f.uses)
	return f, nil
}

// String is the condition as it was written.
func (f *Facts) String() string { return f.text }

// Hold tells whether it holds. It does not where a value is missing that it uses: missing names
// it then.
func (f *Facts) Hold(values map[string]any) (ok bool, missing string) {
	for _, name := range f.uses {
		if _, there := values[name]; !there {
			return false, name
		}
	}
	v, err := vm.Run(f.program, values)
	return err == nil && v == true, ""
}

// Uses are the names that it uses, sorted.
func (f *Facts) Uses() []string { return f.uses }
