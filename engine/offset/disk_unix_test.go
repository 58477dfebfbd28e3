//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package offset

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNobodyElseMayReadOrWriteTheOffsets(t *testing.T) {
	cfg := testConfig(t)
	d := openDisk(t, cfg)
	for seq := range uint64(2) {
		if saved := d.Save(t.Context(), write(seq+1, at(0, int64(seq)))); saved.Err != nil {
			t.Fatal(saved.Err)
		}
	}
	seen := 0
	err := filepath.WalkDir(cfg.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		seen++
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", path, got, want)
		}
		return nil
	})
	if err != nil || seen != 6 { // three directories, both files, the lock
		t.Errorf("%d files, error %v", seen, err)
	}
}

// TestLinksAreNotFollowed puts links to a file or directory of somebody else where ours go.
func TestLinksAreNotFollowed(t *testing.T) {
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	text := string(table{q(0): 5}.render())
	tests := []struct {
		name string
		link func(dir string) string // the link, below the directory of all files
		open bool                    // whether the directory can be opened
	}{
		{"the file", func(dir string) string { return filepath.Join(dir, mainName) }, true},
		{"the previous file", func(dir string) string { return filepath.Join(dir, bakName) }, true},
		{"the new file", func(dir string) string { return filepath.Join(dir, mainName+newName) }, true},
		{"the lock", func(dir string) string { return filepath.Join(dir, lockName) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(secret, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			cfg := testConfig(t)
			dir := filepath.Join(cfg.Dir, DirName(cfg.ClientID), DirName(cfg.Group))
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(secret, tt.link(dir)); err != nil {
				t.Fatal(err)
			}
			if !tt.open {
				if _, err := OpenDisk(cfg); err == nil || !strings.Contains(err.Error(), "links are not followed") {
					t.Errorf("open: %v", err)
				}
			} else {
				d := openDisk(t, cfg)
				if loaded := d.Load(t.Context()); len(loaded.Positions) > 0 {
					t.Errorf("read through the link: %+v", loaded)
				} else if (loaded.Err != nil) != (tt.name != "the new file") {
					t.Errorf("load: %v", loaded.Err)
				}
				d.Save(t.Context(), write(1, at(0, 9)))
			}
			if got, err := os.ReadFile(secret); err != nil || string(got) != text {
				t.Errorf("the file behind the link is now %q, error %v", got, err)
			}
		})
	}
	for _, level := range []int{1, 2} {
		cfg := testConfig(t)
		path := filepath.Join(cfg.Dir, DirName(cfg.ClientID))
		if level == 2 {
			path = filepath.Join(path, DirName(cfg.Group))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, path); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenDisk(cfg); err == nil || !strings.Contains(err.Error(), "links are not followed") {
			t.Errorf("directory %d is a link: %v", level, err)
		}
	}
}

func TestADirectoryThatCanNotBeWrittenKeepsTheOldFile(t *testing.T) {
	cfg := testConfig(t)
	d := openDisk(t, cfg)
	if saved := d.Save(t.Context(), write(1, at(0, 5))); saved.Err != nil {
		t.Fatal(saved.Err)
	}
	// A directory in the place of the new file can neither be removed nor written, for root too.
	blocker := filepath.Join(filepath.Dir(d.Path()), mainName+newName)
	if err := os.MkdirAll(filepath.Join(blocker, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	saved := d.Save(t.Context(), write(2, at(0, 9)))
	if saved.Err == nil || !strings.Contains(saved.Err.Error(), d.Path()) {
		t.Errorf("error %v", saved.Err)
	}
	if loaded := d.Load(t.Context()); loaded.Err != nil || loaded.Positions[0].Offset != 5 {
		t.Errorf("loaded %+v", loaded)
	}
	if err := os.RemoveAll(blocker); err != nil {
		t.Fatal(err)
	}
	if saved := d.Save(t.Context(), saved.Write); saved.Err != nil {
		t.Errorf("once it can be written: %v", saved.Err)
	}
	if loaded := d.Load(t.Context()); loaded.Err != nil || loaded.Positions[0].Offset != 9 {
		t.Errorf("loaded %+v", loaded)
	}
}
