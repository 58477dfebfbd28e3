package tui_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport is the architecture: which of our packages each one may import. A package that
// is not listed, and an import that is not allowed, fails. Change it on purpose.
var mayImport = map[string][]string{
	"engine/mq":                nil,
	"engine/clock":             nil,
	"engine/lifecycle":         {"engine/clock"},
	"engine/internal/pack":     nil,
	"engine/internal/fastjson": nil,
	"engine/internal/plant":    nil,
	"engine/internal/whole":    nil,
	"engine/internal/tape":     {"engine/decision", "engine/mq"},
	"engine/memnet":            nil,
	"keymap":                   nil,
	"themes":                   nil,

	"engine/event":        {"engine/mq"},
	"engine/protocol":     {"engine/mq", "engine/internal/fastjson"},
	"engine/decision":     {"engine/mq", "engine/event"},
	"engine/snapshot":     {"engine/mq", "engine/event", "engine/decision"},
	"engine/remoting":     {"engine/clock", "engine/lifecycle", "engine/internal/fastjson"},
	"engine/processqueue": {"engine/mq", "engine/event", "engine/snapshot", "engine/internal/plant"},

	"engine/route":     part,
	"engine/offset":    part,
	"engine/rebalance": part,
	"engine/schedule":  part,
	"engine/pull":      part,
	"engine/consume":   append([]string{"engine/clock", "engine/lifecycle"}, part...),

	"engine/client": {
		"engine/mq", "engine/event", "engine/snapshot", "engine/protocol", "engine/remoting",
		"engine/route", "engine/clock", "engine/lifecycle", "engine/decision", "engine/recording/policy",
	},
	"engine/consumer": {
		"engine/mq", "engine/event", "engine/snapshot", "engine/clock", "engine/lifecycle",
		"engine/remoting", "engine/protocol", "engine/processqueue", "engine/route",
		"engine/offset", "engine/rebalance", "engine/schedule", "engine/pull", "engine/consume",
		"engine/client", "engine/internal/plant", "engine/internal/pack", "engine/decision", "engine/recording",
		"engine/recording/policy",
	},

	"engine/embedded": {
		"engine/mq", "engine/protocol", "engine/remoting", "engine/clock", "engine/lifecycle",
		"engine/embedded/store",
	},
	"engine/embedded/store":          {"engine/mq", "engine/protocol"},
	"engine/conformance":             {"engine/mq", "engine/protocol", "engine/remoting", "engine/clock", "engine/lifecycle", "engine/memnet"},
	"engine/apachetest":              nil,
	"engine/onapache":                nil,
	"engine/capture":                 {"engine/protocol", "engine/remoting"},
	"engine/capture/infer":           {"engine/capture", "engine/mq", "engine/protocol", "engine/remoting", "engine/snapshot"},
	"engine/capture/infer/infertest": {"engine/capture", "engine/capture/infer"},
	"engine/capture/picture":         {"engine/capture", "engine/capture/infer", "engine/event", "engine/mq", "engine/protocol", "engine/rebalance", "engine/snapshot"},
	"engine/capture/observer":        {"engine/capture", "engine/capture/infer", "engine/clock", "engine/lifecycle"},
	"engine/capture/tap":             {"engine/capture", "engine/capture/infer", "engine/capture/observer", "engine/clock"},
	"engine/invariant":               {"engine/mq", "engine/decision", "engine/snapshot"},
	"engine/sim/stage":               {"engine/clock", "engine/lifecycle"},
	"engine/sim/network":             {"engine/client", "engine/clock", "engine/embedded", "engine/lifecycle", "engine/remoting"},
	"engine/sim": {
		"engine/mq", "engine/snapshot", "engine/protocol", "engine/remoting", "engine/clock", "engine/lifecycle",
		"engine/decision", "engine/invariant", "engine/client", "engine/consume", "engine/consumer", "engine/embedded",
		"engine/sim/stage", "engine/sim/network", "engine/step",
	},
	"engine/step/command":          {"engine/mq"},
	"engine/step":                  {"engine/mq", "engine/decision", "engine/snapshot", "engine/clock", "engine/lifecycle", "engine/invariant", "engine/step/command", "engine/internal/whole"},
	"engine/step/script":           {"engine/mq", "engine/decision", "engine/snapshot", "engine/step"},
	"engine/schedule/scheduletest": {"engine/mq"},
	"engine/step/steptest":         {"engine/mq", "engine/event", "engine/decision", "engine/snapshot", "engine/step"},
	"engine/scenario": {
		"engine/mq", "engine/event", "engine/decision", "engine/snapshot", "engine/pull", "engine/consumer",
		"engine/embedded", "engine/sim", "engine/step",
	},
	"engine/ledger":           {"engine/mq", "engine/snapshot", "engine/protocol", "engine/embedded", "engine/embedded/store"},
	"engine/recording":        {"engine/clock", "engine/lifecycle"},
	"engine/recording/policy": nil,
	"engine/recording/redact": {"engine/clock", "engine/lifecycle", "engine/internal/pack", "engine/recording", "engine/recording/policy"},

	"engine/proxy": {"engine/capture", "engine/capture/infer", "engine/capture/observer", "engine/clock", "engine/lifecycle", "engine/protocol", "engine/remoting"},

	"engine/replay/command": nil,
	"engine/replay":         {"engine/mq", "engine/snapshot", "engine/clock", "engine/recording", "engine/replay/command", "engine/internal/whole"},
	"engine/replay/remade":  {"engine/mq", "engine/event", "engine/decision", "engine/snapshot", "engine/recording", "engine/replay", "engine/consumer", "engine/step", "engine/step/command"},
	"engine/replay/inferred": {
		"engine/capture", "engine/capture/infer", "engine/capture/picture", "engine/internal/pack", "engine/lifecycle", "engine/mq",
		"engine/recording", "engine/replay", "engine/snapshot",
	},
	"engine/replay/tracks":     {"engine/replay", "engine/replay/inferred", "engine/replay/remade"},
	"engine/replay/verify":     {"engine/lifecycle", "engine/recording", "engine/replay", "engine/replay/tracks"},
	"engine/replay/page":       {"engine/mq", "engine/snapshot", "engine/recording", "engine/replay"},
	"engine/replay/replaytest": {"engine/lifecycle", "engine/mq", "engine/snapshot", "engine/recording", "engine/replay"},

	"engine/recorder": {
		"engine/mq", "engine/event", "engine/snapshot", "engine/clock", "engine/lifecycle", "engine/client", "engine/consumer",
		"engine/recording", "engine/recording/policy",
	},
	"engine/recorder/recordertest": {"engine/consumer", "engine/recording", "engine/snapshot"},
	"engine": {
		"engine/mq", "engine/event", "engine/decision", "engine/snapshot", "engine/clock", "engine/lifecycle",
		"engine/remoting", "engine/protocol", "engine/pull", "engine/rebalance", "engine/consume",
		"engine/consumer", "engine/client", "engine/recorder",
	},
	"engine/enginetest": {"engine/embedded", "engine/embedded/store", "engine/lifecycle", "engine/memnet", "engine/mq"},
	"engine/ondemand": {
		"engine", "engine/mq", "engine/event", "engine/snapshot", "engine/clock", "engine/lifecycle", "engine/protocol",
		"engine/consumer", "engine/client", "engine/recorder",
	},
	"engine/demo": {
		"engine", "engine/mq", "engine/event", "engine/snapshot", "engine/clock", "engine/lifecycle",
		"engine/pull", "engine/consume", "engine/consumer", "engine/embedded", "engine/recorder",
	},

	"views":       {"engine/snapshot", "keymap", "themes"},
	"tui/newfile": nil,
	"tui": {
		"engine", "engine/recorder", "engine/snapshot", "engine/lifecycle", "engine/replay/command", "views", "keymap", "themes",
		"views/overview", "views/queues", "views/treemap", "views/locks", "views/latency", "views/rebalance", "views/scheduler", "views/detail", "views/events", "views/overlay", "views/transport", "views/export", "tui/newfile",
	},
	"tui/config": {"engine", "keymap", "themes"},
	"":           {"tui/cli"},
}

// part is what the deciding parts may import: never each other.
var part = []string{"engine/decision", "engine/mq", "engine/event", "engine/snapshot", "engine/protocol", "engine/processqueue", "engine/internal/plant"}

// anything marks packages that may import all of ours.
var anything = []string{"tui/cli"}

func TestImportsFollowTheTable(t *testing.T) {
	for _, p := range goList(t) {
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "mqscope"), "/")
		if slices.Contains(anything, name) {
			continue
		}
		allowed, listed := mayImport[name]
		if strings.HasPrefix(name, "views/") {
			allowed, listed = []string{"views", "engine/snapshot", "keymap", "themes"}, true
		}
		switch name {
		case "views/scheduler":
			allowed = append(allowed, "engine/decision", "engine/step/command")
		case "views/events":
			allowed = append(allowed, "engine/replay/command")
		case "views/viewtest/captured":
			allowed = append(allowed, "views/viewtest", "engine/capture", "engine/capture/infer", "engine/capture/picture", "engine/mq")
		case "views/viewtest":
			allowed = append(allowed, "engine/decision")
		}
		if !listed {
			t.Errorf("package %q is not in the table: say there what it may import", name)
		}
		for _, imported := range p.Imports {
			ours, ok := strings.CutPrefix(imported, "mqscope/")
			if ok && !slices.Contains(allowed, ours) {
				t.Errorf("%q imports %q, which the table does not allow", name, ours)
			}
			if strings.HasPrefix(imported, "github.com/spf13/viper") && name != "tui/config" {
				t.Errorf("%q imports viper: only tui/config may", name)
			}
			if strings.HasPrefix(imported, "github.com/spf13/cobra") && name != "tui/cli" {
				t.Errorf("%q imports cobra: only tui/cli may", name)
			}
		}
	}
}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func goList(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "mqscope/...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestGoroutinesHaveANameAndAreJoined finds go statements outside lifecycle, which is where
// a panic becomes an error and everything is waited for.
func TestGoroutinesHaveANameAndAreJoined(t *testing.T) {
	eachFile(t, func(path string, fset *token.FileSet, f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if g, ok := n.(*ast.GoStmt); ok && !strings.HasPrefix(path, "engine/lifecycle/") {
				t.Errorf("%v: bare go statement: use lifecycle.Group.Go", fset.Position(g.Pos()))
			}
			return true
		})
	})
}

// TestNothingSleepsOrPrintsOnItsOwn finds time.Sleep, fmt.Print* and init functions.
func TestNothingSleepsOrPrintsOnItsOwn(t *testing.T) {
	eachFile(t, func(path string, fset *token.FileSet, f *ast.File) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%v: init function: nothing happens at import", fset.Position(fn.Pos()))
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch pkg, _ := sel.X.(*ast.Ident); {
			case pkg == nil:
			case pkg.Name == "time" && sel.Sel.Name == "Sleep":
				t.Errorf("%v: time.Sleep: use clock.Sleep", fset.Position(sel.Pos()))
			case pkg.Name == "fmt" && strings.HasPrefix(sel.Sel.Name, "Print"):
				t.Errorf("%v: fmt.%s: the terminal belongs to the screen", fset.Position(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
	})
}

func eachFile(t *testing.T, look func(path string, fset *token.FileSet, f *ast.File)) {
	t.Helper()
	root := ".."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || (strings.HasPrefix(d.Name(), ".") && path != root)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parse %s: %w", path, err)
		}
		look(filepath.ToSlash(rel), fset, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
