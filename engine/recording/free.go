package recording

import (
	"errors"
	"fmt"
	"os"
)

// Free tells whether a recording may be written at path: nothing is there, or with replace a regular
// file. No link is followed.
func Free(path string, replace bool) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: no regular file, it is left as it is: give another name", path)
	case !replace:
		return fmt.Errorf("%s: %w: give another name, or ask to replace it", path, os.ErrExist)
	}
	return nil
}
