package viewtest

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

//nolint:gochecknoglobals // a test flag has to be registered before flags are parsed
var _ = registerUpdate()

// registerUpdate registers -update, unless teatest's own golden files have.
func registerUpdate() bool {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write golden files instead of comparing with them")
	}
	return true
}

// updating tells whether golden files are to be written.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// Golden compares lines with a file under the project's testdata/golden, or writes it with
// -update. root is the way from the test's package to the project's root.
func Golden(t *testing.T, root, name string, lines []string) {
	t.Helper()
	file := filepath.Join(root, "testdata", "golden", filepath.FromSlash(name))
	got := strings.Join(lines, "\n") + "\n"
	if updating() {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("no golden frame: %v (run the test with -update and read what it writes)", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

// Plain takes the sequences out of lines.
func Plain(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ansi.Strip(l)
	}
	return out
}

// Quoted makes sequences readable in a review.
func Quoted(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.ReplaceAll(l, "\x1b", `\e`)
	}
	return out
}

// PlainGoldens compares every case of a subject at every size.
func PlainGoldens(t *testing.T, root, name string, s Subject) {
	t.Helper()
	for _, c := range Cases() {
		goldens(t, root, name+"/"+c.Name, func(w, h int) Shot { return s.Shot(c, w, h, nil) })
	}
}

// goldens compares the frames of one case at every size with their golden frames.
func goldens(t *testing.T, root, name string, shot func(w, h int) Shot) {
	t.Helper()
	th := Theme(t, "mqscope-dark", "unicode")
	for _, size := range Sizes() {
		w, h := size[0], size[1]
		t.Run(fmt.Sprintf("%s at %dx%d", path.Base(name), w, h), func(t *testing.T) {
			lines, _, _ := shot(w, h).With(th).Draw()
			CheckFrame(t, lines, w, h, th)
			Golden(t, root, fmt.Sprintf("%s.%dx%d.txt", name, w, h), Plain(lines))
		})
	}
}
