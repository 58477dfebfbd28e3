package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestImportOfACapture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mqrec")
	r := mqscope(t, "import", captureFile("push-orderly"), "-o", path)
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	checkClean(t, "the summary", r.out)
	containsAll(t, "the summary", r.out, "873 events", "g_ord2       3       5     75       820", "4 answers with an error", "written to "+path)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, mode %v", err, info.Mode())
	}
	again := mqscope(t, "import", captureFile("pull"), "-o", path)
	containsAll(t, "a second one", again.err, path, "is there already", "--force")
	if still, err := os.Stat(path); err != nil || still.Size() != info.Size() || again.code != exitFailure {
		t.Errorf("%v, code %d: the first one was touched", err, again.code)
	}
	if forced := mqscope(t, "import", captureFile("pull"), "-o", path, "--force"); forced.code != exitOK {
		t.Errorf("with --force: %q", forced.err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("%v, left are %q", err, left)
	}
}

func TestImportOfOneGroup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.mqrec")
	r := mqscope(t, "import", captureFile("push-orderly"), "-o", path, "--group", "g_ord2")
	if r.code != exitOK || strings.Contains(r.out, "g_ord ") {
		t.Fatalf("code %d, errors %q, says\n%s", r.code, r.err, r.out)
	}
	none := filepath.Join(t.TempDir(), "none.mqrec")
	r = mqscope(t, "import", captureFile("push-orderly"), "-o", none, "--group", "nobody")
	containsAll(t, "the error", r.err, `"nobody"`, `"g_ord"`, `"g_ord2"`)
	if left, err := os.ReadDir(filepath.Dir(none)); err != nil || len(left) > 0 {
		t.Errorf("%v, left are %v", err, left)
	}
}

func TestImportOfStandardInput(t *testing.T) {
	data, err := os.ReadFile(captureFile("produce"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "x.mqrec")
	r := newProcess(t, string(data), "import", "-", "-o", path).run()
	if r.code != exitOK {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "the summary", r.out, "-: 270 packets", "no consumer group was seen")
}

func TestImportThatCanNotBe(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.mqrec")
	link := filepath.Join(dir, "link.mqrec")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"none", []string{"-o", out}, exitUsage, []string{"no capture is named"}},
		{"two", []string{"a", "b", "-o", out}, exitUsage, []string{`"b"`, "one capture"}},
		{"no output", []string{captureFile("pull")}, exitUsage, []string{"-o is missing"}},
		{"not there", []string{"/none/x.pcap", "-o", out}, exitFailure, []string{"/none/x.pcap"}},
		{"empty", []string{write(t, "e.pcap", ""), "-o", out}, exitFailure, []string{"e.pcap", "empty"}},
		{"something else", []string{filepath.Join("..", "..", "README.md"), "-o", out}, exitFailure, []string{"README.md", "neither pcap nor pcapng", "give a pcap or pcapng file"}},
		{"a recording", []string{write(t, "x.mqrec", "MQREC\r\n\x1a and more"), "-o", out}, exitFailure, []string{"a recording already", "mqscope replay"}},
		{"nowhere to write", []string{captureFile("pull"), "-o", "/none/x.mqrec"}, exitFailure, []string{"/none/x.mqrec"}},
		{"a symbolic link", []string{captureFile("pull"), "-o", link, "--force"}, exitFailure, []string{"link.mqrec", "no regular file"}},
		{"a directory", []string{captureFile("pull"), "-o", dir, "--force"}, exitFailure, []string{dir, "no regular file"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := mqscope(t, append([]string{"import"}, test.args...)...)
			if r.code != test.code || r.out != "" {
				t.Errorf("code %d, printed %q", r.code, r.out)
			}
			containsAll(t, "the error", r.err, test.says...)
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("%v, left are %v", err, left)
			}
		})
	}
}
