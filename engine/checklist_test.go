package engine_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// rowsOf is how many things each source describes, POP left out; faultRows how many faults the
// second table has.
var rowsOf = []int{15, 18, 21, 16, 17}

const (
	faultRows = 13
	// Public reports about other clients are numbered P01 to P54.
	knownFaults = 54
)

// notBuilt are known faults of what is not here.
var notBuilt = map[int]string{42: "no authentication: clusters that demand it refuse the connection"}

// checkRow is one line of testdata/checklist.md.
type checkRow struct {
	id, what string
	tests    []string // "package.TestName"
}

func checkRows(t *testing.T) (rows []checkRow) {
	t.Helper()
	file, err := os.ReadFile("../testdata/checklist.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(file)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || !strings.HasPrefix(cells[0], " S") && !strings.HasPrefix(cells[0], " F") {
			continue
		}
		rows = append(rows, checkRow{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.Fields(cells[2])})
	}
	return rows
}

// TestTheChecklistNamesEachTest: every row of testdata/checklist.md that stands for a source has a
// test of its own that carries its source's number, every test that is named is there, and no
// test carries such a number without standing in a row.
func TestTheChecklistNamesEachTest(t *testing.T) {
	there := testsBelow(t, "..")
	var ids []string
	owner := map[string]string{} // of the first test of a row
	named := map[string]bool{}
	for _, row := range checkRows(t) {
		ids = append(ids, row.id)
		if row.what == "" || len(row.tests) == 0 {
			t.Errorf("%s says nothing, or has no test", row.id)
			continue
		}
		for _, test := range row.tests {
			named[test] = true
			if !there[test] {
				t.Errorf("%s: there is no test %s", row.id, test)
			}
		}
		source, _, isSource := strings.Cut(row.id, ".")
		if !isSource {
			continue
		}
		first := row.tests[0]
		if _, name, _ := strings.Cut(first, "."); !strings.HasPrefix(name, "Test"+source) {
			t.Errorf("%s: its first test, %s, does not carry the number", row.id, first)
		}
		if other, taken := owner[first]; taken {
			t.Errorf("%s: its first test is that of %s", row.id, other)
		}
		owner[first] = row.id
	}
	if got, want := strings.Join(ids, " "), strings.Join(wantedRows(), " "); got != want {
		t.Errorf("rows are %s, want %s", got, want)
	}
	numbered := regexp.MustCompile(`\.TestS[0-9]`)
	for test := range there {
		if numbered.MatchString(test) && !named[test] {
			t.Errorf("%s carries a source's number and stands in no row of testdata/checklist.md", test)
		}
	}
}

func wantedRows() (ids []string) {
	for source, n := range rowsOf {
		for i := range n {
			ids = append(ids, fmt.Sprintf("S%d.%d", source, i+1))
		}
	}
	for i := range faultRows {
		ids = append(ids, fmt.Sprintf("F%d", i+1))
	}
	return ids
}

// TestEachKnownFaultHasATest that carries its number, as TestP06… does.
func TestEachKnownFaultHasATest(t *testing.T) {
	there := testsBelow(t, "..")
	has := map[string]bool{}
	number := regexp.MustCompile(`\.TestP([0-9]{2})[A-Z]`)
	for test := range there {
		if m := number.FindStringSubmatch(test); m != nil {
			has[m[1]] = true
		}
	}
	for n := 1; n <= knownFaults; n++ {
		why, left := notBuilt[n]
		switch tested := has[fmt.Sprintf("%02d", n)]; {
		case !tested && !left:
			t.Errorf("P%02d has no test", n)
		case tested && left:
			t.Errorf("P%02d has a test, and yet is left out: %s", n, why)
		}
	}
}

// testsBelow are the tests of the module at root, as "package.TestName".
func testsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != root && (name == "testdata" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				all[filepath.Base(filepath.Dir(path))+"."+fn.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
