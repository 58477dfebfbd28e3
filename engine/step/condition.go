package step

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"mqscope/engine/decision"
)

// Condition is an expression over the values of a decision, as "span > 1500 && queue == 3".
//
// Everywhere there are line, group, member, topic, broker, queue (its number), task, yes, then,
// cause, delay, text, status and now; besides them the numbers and the text of the line under
// their names. Durations are nanoseconds, made from numbers by us(), ms(), s(); moments and now
// are nanoseconds since the beginning; a flag is true or false. A condition that uses a value
// which the decision does not have does not hold, whatever else it says.
//
// A Condition belongs to one goroutine.
type Condition struct {
	text    string
	program *vm.Program
	uses    []name
	vm      vm.VM
	values  map[string]any
}

// CompileCondition reads a condition about a line, about any when line is nil. Errors are
// TextErrors.
func CompileCondition(text string, line *decision.Line) (*Condition, error) {
	known := names(line)
	env := map[string]any{}
	words := make([]string, len(known))
	for i, n := range known {
		env[n.word], words[i] = n.kind.zero(), n.word
	}
	about := vocabulary{known: words}
	if line != nil {
		about.of = line.ID
	} else {
		about.some = "line, queue, task, yes, cause, delay, now or a value shown in the trace"
	}
	program, used, err := compile(text, env, about)
	if err != nil {
		return nil, err
	}
	c := &Condition{text: text, program: program, values: map[string]any{}}
	for _, n := range known {
		if used[n.word] {
			c.uses = append(c.uses, n)
		}
	}
	return c, nil
}

// vocabulary are the values that a condition may use, for what errors say.
type vocabulary struct {
	of    string // what it is about, empty for any line
	known []string
	some  string // instead of all that are known
}

// compile makes a program of an expression over an environment and returns the names it uses.
func compile(text string, env map[string]any, about vocabulary) (*vm.Program, map[string]bool, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil, mistake(1, "the condition is empty", "write one as span > 1500")
	}
	env["us"], env["ms"], env["s"] = microseconds, milliseconds, seconds
	guard := &guard{names: map[string]bool{}}
	program, err := expr.Compile(text, expr.Env(env), expr.AsBool(), expr.DisableAllBuiltins(), expr.MaxNodes(500),
		expr.ConstExpr("us"), expr.ConstExpr("ms"), expr.ConstExpr("s"), expr.Patch(guard))
	if guard.found != nil {
		return nil, nil, guard.found.at(text)
	}
	if err != nil {
		return nil, nil, conditionError(err, text, about)
	}
	return program, guard.names, nil
}

// String is the condition as it was written.
func (c *Condition) String() string { return c.text }

// Possible tells whether decisions of a line have all the values that the condition uses.
func (c *Condition) Possible(line *decision.Line) bool {
	for i := range c.uses {
		if !c.uses[i].in(line) {
			return false
		}
	}
	return true
}

// Holds tells whether the condition holds for a decision.
func (c *Condition) Holds(m *Moment) bool {
	for i := range c.uses {
		v, ok := c.uses[i].value(m)
		if !ok {
			return false
		}
		c.values[c.uses[i].word] = v
	}
	v, err := c.vm.Run(c.program, c.values)
	return err == nil && v == true // an error is a division by zero or the like: no value either
}

func microseconds(n float64) int { return int(n * 1e3) }
func milliseconds(n float64) int { return int(n * 1e6) }
func seconds(n float64) int      { return int(n * 1e9) }

// guard finds the names that an expression uses, and what of the language does not belong into
// conditions: loops, which could take long, and what is there for programs.
type guard struct {
	names map[string]bool
	found *strange // the first one
}

type strange struct {
	from int
	what string
}

func (s *strange) at(text string) error {
	line, column := position(text, s.from)
	return &TextError{Line: line, Column: column, What: s.what, Remedy: "compare values as in span > 1500 && queue == 3"}
}

// Visit is called for each node, before names and types are checked.
func (g *guard) Visit(node *ast.Node) {
	what := ""
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		if n.Value == "$env" {
			what = "$env can not be used here"
			break
		}
		g.names[n.Value] = true
	case *ast.BuiltinNode:
		what = n.Name + "() can not be used here"
	case *ast.VariableDeclaratorNode, *ast.SequenceNode:
		what = "a condition is one expression without variables"
	case *ast.MapNode, *ast.MemberNode, *ast.SliceNode:
		what = "values here have no parts"
	}
	if at := (*node).Location().From; what != "" && (g.found == nil || at < g.found.from) {
		g.found = &strange{at, what}
	}
}

// conditionError turns an error of the compiler into one that says what to write.
func conditionError(err error, text string, about vocabulary) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return mistake(1, "the condition is not true or false: "+err.Error(), "compare something, as span > 1500")
	}
	line, column := position(text, at.From)
	e := &TextError{Line: line, Column: column, What: at.Message}
	switch word, isName := strings.CutPrefix(at.Message, "unknown name "); {
	case isName:
		e.What, e.Remedy = about.missing(strings.TrimSpace(word))
	case strings.Contains(at.Message, "mismatched type"):
		e.Remedy = "compare numbers with numbers (a flag that is a number elsewhere with 0), text with 'text'"
	case strings.Contains(at.Message, "not callable"):
		e.What, e.Remedy = "only us(), ms() and s() can be called", "write durations as ms(50)"
	case strings.Contains(at.Message, `Operator("=")`):
		e.What, e.Remedy = "= compares nothing", "write =="
	case strings.Contains(at.Message, "EOF"):
		e.What, e.Remedy = "the condition is not complete", "write it as span > 1500"
		e.Column++
	default:
		e.Remedy = "write it as span > 1500 && queue == 3"
	}
	return e
}

// missing says that there is no such value, and which there are.
func (v vocabulary) missing(word string) (what, remedy string) {
	what = fmt.Sprintf("%s has no value %q", v.of, word)
	if v.of == "" {
		what = fmt.Sprintf("no line has a value %q", word)
	}
	if near := nearest(word, v.known); near != "" {
		return what, "did you mean " + near + "?"
	}
	return what, "write one of " + cmp.Or(v.some, strings.Join(v.known, ", "))
}

// position is where the character number n of a text is, from line 1 and column 1 on.
func position(text string, n int) (line, column int) {
	line, column = 1, 1
	for _, r := range text {
		if n--; n < 0 {
			break
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column
}
