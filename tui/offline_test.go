package tui_test

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestReplayReachesNoNetworkAndWritesOnlyBookmarks finds what could leave the process in the
// packages that play recordings: of these only the file of bookmarks is written, and what is read
// comes from package recording.
func TestReplayReachesNoNetworkAndWritesOnlyBookmarks(t *testing.T) {
	writers := []string{"engine/replay/bookmarks_disk.go", "engine/replay/inferred/import.go"}  // the second makes recordings
	reading := []string{"Open", "Stat", "Lstat", "ReadFile", "File", "FileInfo", "ErrNotExist"} // of captures that are imported
	seen := 0
	eachFile(t, func(path string, fset *token.FileSet, f *ast.File) {
		if !strings.HasPrefix(path, "engine/replay/") {
			return
		}
		seen++
		for _, i := range f.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case name == "net/netip": // reads and writes addresses, and reaches none
			case name == "net" || strings.HasPrefix(name, "net/") || strings.Contains(name, "/net/"),
				slices.Contains([]string{"os/exec", "syscall", "plugin", "unsafe", "log", "log/syslog", "io/ioutil"}, name),
				slices.Contains([]string{"mqscope/engine/remoting", "mqscope/engine/client", "mqscope/engine/memnet", "mqscope/engine/embedded", "mqscope/engine"}, name):
				t.Errorf("%v: a replay must not import %q", fset.Position(i.Pos()), name)
			}
		}
		if slices.Contains(writers, path) {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, _ := sel.X.(*ast.Ident); pkg != nil && pkg.Name == "os" && !slices.Contains(reading, sel.Sel.Name) {
				t.Errorf("%v: a replay must not use os.%s", fset.Position(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
	})
	if seen < 8 {
		t.Errorf("%d files were looked at: where did they go?", seen)
	}
}
