package newfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func fill(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// left are the names in a directory.
func left(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func TestAFileIsNewAndItsOwnersOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	if err := Write(path, false, fill("one")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := Write(path, false, fill("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over what is there: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "one" {
		t.Errorf("now it is %q", b)
	}
	if err := Write(path, true, fill("three")); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(path); string(b) != "three" {
		t.Errorf("now it is %q", b)
	}
	if n := left(t, dir); len(n) != 1 {
		t.Errorf("left: %v", n)
	}
}

func TestWhatFailsLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	broken := errors.New("broken")
	half := func(w io.Writer) error {
		_, _ = w.Write(make([]byte, 1<<20))
		return broken
	}
	if err := Write(path, false, half); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if n := left(t, dir); len(n) != 0 {
		t.Errorf("left: %v", n)
	}
	if err := Write(path, false, fill("old")); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, true, half); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "old" {
		t.Errorf("%d bytes instead of the old ones", len(b))
	}
	if err := Write(filepath.Join(dir, "none", "a"), false, fill("")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if err := Write(dir, true, fill("")); err == nil {
		t.Error("a directory was replaced")
	}
}

// TestANameThatIsTakenMeanwhileStays: between the look and the end somebody else makes it.
func TestANameThatIsTakenMeanwhileStays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.csv")
	err := Write(path, false, func(io.Writer) error { return os.WriteFile(path, []byte("theirs"), 0o600) })
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "theirs" {
		t.Errorf("now it is %q", b)
	}
	if n := left(t, dir); len(n) != 1 {
		t.Errorf("left: %v", n)
	}
}

func TestNoLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		if runtime.GOOS == "windows" { // where links are for administrators
			return
		}
		t.Fatal(err)
	}
	for _, replace := range []bool{false, true} {
		if err := Write(link, replace, fill("x")); err == nil {
			t.Errorf("replace %v: written", replace)
		}
	}
	err := Write(filepath.Join(dir, "new"), true, func(io.Writer) error { return os.Symlink(target, filepath.Join(dir, "new")) })
	if err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a link names was written: %v", err)
	}
}
