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

// rowsOf is how many things each source describes, POP left out.
var rowsOf = []int{15, 18, 21, 16, 17}

// TestTheChecklistNamesEachTest: every row of testdata/checklist.md has a test of its own that
// carries its source's number, every test that it names is there, and no test carries such a
// number without standing in it.
func TestTheChecklistNamesEachTest(t *testing.T) {
	there := testsBelow(t, "..")
	file, err := os.ReadFile("../testdata/checklist.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	owner := map[string]string{} // of the first test of a row
	named := map[string]bool{}
	for line := range strings.Lines(string(file)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || !strings.HasPrefix(cells[0], " S") {
			continue
		}
		row, tests := strings.TrimSpace(cells[0]), strings.Fields(cells[2])
		rows = append(rows, row)
		if strings.TrimSpace(cells[1]) == "" || len(tests) == 0 {
			t.Errorf("%s says nothing, or has no test", row)
			continue
		}
		source, _, _ := strings.Cut(row, ".")
		if _, name, _ := strings.Cut(tests[0], "."); !strings.HasPrefix(name, "Test"+source) {
			t.Errorf("%s: its first test, %s, does not carry the number", row, tests[0])
		}
		if other, taken := owner[tests[0]]; taken {
			t.Errorf("%s: its first test is that of %s", row, other)
		}
		owner[tests[0]] = row
		for _, test := range tests {
			named[test] = true
			if !there[test] {
				t.Errorf("%s: there is no test %s", row, test)
			}
		}
	}
	var want []string
	for source, n := range rowsOf {
		for i := range n {
			want = append(want, fmt.Sprintf("S%d.%d", source, i+1))
		}
	}
	if strings.Join(rows, " ") != strings.Join(want, " ") {
		t.Errorf("rows are %v, want %v", rows, want)
	}
	numbered := regexp.MustCompile(`\.TestS[0-9]`)
	for test := range there {
		if numbered.MatchString(test) && !named[test] {
			t.Errorf("%s carries a source's number and stands in no row of testdata/checklist.md", test)
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
