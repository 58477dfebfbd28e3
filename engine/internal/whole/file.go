// Package whole writes small files of which a reader sees the old one or the new one, never a part.
package whole

import (
	"os"
	"path/filepath"
)

// Write replaces the file at path, or makes it, for its owner only. What it fails with names the
// file; then the old one is as it was. A link at path is replaced, not followed.
func Write(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // made anew, with 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // of no use to anybody
	}
	return err
}
