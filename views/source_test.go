package views_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sources parses every file of this package and those below that is no test.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	out := map[string]*ast.File{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "viewtest") {
			return err
		}
		f, err := parser.ParseFile(fset, path, nil, 0)
		out[filepath.ToSlash(path)] = f
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 30 {
		t.Fatalf("only %d files were found", len(out))
	}
	return out
}

// name is what a call calls: f, x.f or nothing.
func name(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return name(e.X) + "." + e.Sel.Name
	}
	return ""
}

// TestUntrustedTextPassesTheCleaner: a Lit is drawn as it is, so only literals may become
// one; a Safe is made of text in the few files that clean or format.
func TestUntrustedTextPassesTheCleaner(t *testing.T) {
	makers := []string{"safe.go", "clean.go", "format.go", "spark.go", "since.go"}
	for path, file := range sources(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				switch fn := name(n.Fun); fn {
				case "Lit", "views.Lit":
					_, literal := n.Args[0].(*ast.BasicLit)
					if !literal && !(path == "canvas.go" && isGlyph(file, n)) {
						t.Errorf("%s turns something that is no literal into a Lit", path)
					}
				case "trusted", "plain":
					if !slices.Contains(makers, path) && path != "chrome.go" {
						t.Errorf("%s calls %s", path, fn)
					}
				}
			case *ast.CompositeLit:
				if fn := name(n.Type); (fn == "Safe" || fn == "views.Safe") && len(n.Elts) > 0 && !slices.Contains(makers, path) {
					t.Errorf("%s makes a Safe by itself", path)
				}
			}
			return true
		})
	}
}

// isGlyph tells whether a conversion stands in the method that draws a sign.
func isGlyph(f *ast.File, call *ast.CallExpr) bool {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == "Glyph" && fn.Pos() <= call.Pos() && call.End() <= fn.End() {
			return true
		}
	}
	return false
}

// TestViewsArePure: no clock, no goroutine, no input or output, no sequence of their own, no
// globals, and nothing of other packages of ours but those that the import table allows.
func TestViewsArePure(t *testing.T) {
	allowed := []string{"mqscope/engine/snapshot", "mqscope/keymap", "mqscope/themes", "mqscope/views"}
	forbidden := []string{"os", "io", "net", "fmt.Print", "github.com/charmbracelet/bubbletea", "github.com/charmbracelet/lipgloss", "github.com/mattn/go-runewidth"}
	for path, file := range sources(t) {
		for _, imp := range file.Imports {
			p := strings.Trim(imp.Path.Value, `"`)
			steps := strings.HasPrefix(path, "scheduler/") && (p == "mqscope/engine/decision" || p == "mqscope/engine/step/command") ||
				strings.HasPrefix(path, "events/") && p == "mqscope/engine/replay/command"
			if strings.HasPrefix(p, "mqscope/") && !slices.Contains(allowed, p) && !steps || slices.Contains(forbidden, p) {
				t.Errorf("%s imports %s", path, p)
			}
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
				for _, s := range g.Specs {
					if v := s.(*ast.ValueSpec); !strings.HasPrefix(v.Names[0].Name, "Err") {
						t.Errorf("%s has the global %s", path, v.Names[0].Name)
					}
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s starts a goroutine", path)
			case *ast.CallExpr:
				if fn := name(n.Fun); fn == "time.Now" || fn == "time.Since" || strings.HasPrefix(fn, "fmt.Print") {
					t.Errorf("%s calls %s", path, fn)
				}
			case *ast.BasicLit:
				if n.Kind == token.STRING && strings.Contains(n.Value, `\x1b`) {
					t.Errorf("%s writes a sequence of its own: %s", path, n.Value)
				}
			}
			return true
		})
	}
}
