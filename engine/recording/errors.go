package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"time"
)

var (
	// ErrBehind ends a recording whose disk is slower than what is recorded.
	ErrBehind = errors.New("the recording cannot keep up and has ended: record to a faster disk, or less of the bodies")
	// ErrTooLarge ends a recording that was given a record of more than MaxPayload bytes.
	ErrTooLarge = errors.New("a record is too large, the recording has ended: record less of the bodies")
	// ErrNoCheckpoint says that no checkpoint is there to begin at.
	ErrNoCheckpoint = errors.New("no checkpoint before it")
)

// End is why a recording ended.
type End uint16

const (
	Unknown   End = iota // it was not closed: it is still written, or its program was killed
	Closed               // by who made it
	Behind               // ErrBehind
	DiskFull             // no space left
	DiskFault            // writing failed otherwise
	Oversize             // ErrTooLarge
	Faulty               // a fault of the program
)

var endWords = [...]string{
	"not closed", "closed", "could not keep up", "disk full", "disk failed", "a record was too large", "a fault of the program",
}

// String says it in words.
func (e End) String() string {
	if int(e) < len(endWords) {
		return endWords[e]
	}
	return fmt.Sprintf("end %d", uint16(e))
}

// endOf is the End that err leads to.
func endOf(err error) End {
	if err == nil {
		return Closed
	}
	_, disk := errors.AsType[*DiskError](err)
	switch {
	case errors.Is(err, ErrBehind):
		return Behind
	case errors.Is(err, ErrTooLarge):
		return Oversize
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return DiskFull
	case disk:
		return DiskFault
	}
	return Faulty
}

// DiskError ends a recording whose file cannot be written.
type DiskError struct {
	Op, Path string
	Err      error
}

// Error says what failed, on what, and what to do.
func (e *DiskError) Error() string {
	remedy := "look after the disk"
	if endOf(e) == DiskFull {
		remedy = "make room, or record elsewhere"
	}
	cause := e.Err
	if p, ok := errors.AsType[*fs.PathError](cause); ok && p.Path == e.Path {
		cause = p.Err // it names the file once more
	}
	return fmt.Sprintf("%s %s: %v: the recording has ended at its last whole block: %s", e.Op, e.Path, cause, remedy)
}

// Unwrap returns what the system said.
func (e *DiskError) Unwrap() error { return e.Err }

// VersionError is a recording in a format of another version.
type VersionError struct{ Version int }

// Error says which version, and what to do.
func (e *VersionError) Error() string {
	return fmt.Sprintf("a recording of format version %d, this program reads version %d: take a newer mqscope", e.Version, Version)
}

// NotRecordingError is a file that is not a recording.
type NotRecordingError struct{ What, Remedy string }

// Error says what it seems to be, and what to do.
func (e *NotRecordingError) Error() string {
	return fmt.Sprintf("not a recording but %s: %s", e.What, e.Remedy)
}

// notOurs says what a file is that begins with head.
func notOurs(head []byte) error {
	const capture = "read it with mqscope import"
	for _, known := range []struct{ begin, what, remedy string }{
		{"\xd4\xc3\xb2\xa1", "a packet capture (pcap)", capture},
		{"\xa1\xb2\xc3\xd4", "a packet capture (pcap)", capture},
		{"\x4d\x3c\xb2\xa1", "a packet capture (pcap)", capture},
		{"\xa1\xb2\x3c\x4d", "a packet capture (pcap)", capture},
		{"\x0a\x0d\x0d\x0a", "a packet capture (pcapng)", capture},
		{"\x1f\x8b", "a gzip file", "unpack it first (gunzip)"},
		{"\x28\xb5\x2f\xfd", "a zstd file", "unpack it first (zstd -d)"},
		{"PK\x03\x04", "a zip file", "unpack it first (unzip)"},
		{"MQREC", "a recording that was changed on its way", "copy it again, as binary and not as text"},
	} {
		if strings.HasPrefix(string(head), known.begin) {
			return &NotRecordingError{known.what, known.remedy}
		}
	}
	return &NotRecordingError{"something else", "recordings are made by mqscope record"}
}

// Damage is a part of a file that cannot be read.
type Damage struct {
	Offset  int64     // where it begins
	Bytes   int64     // how long it is; 0: no bytes are wrong, or it is not known yet
	Record  uint64    // number of the first record that is missing
	Missing uint64    // how many are; 0: not known
	After   time.Time // of the last record before it, zero when there is none
	Cut     bool      // the file ends in it
	Reason  string
}

// Error says what is missing and where.
func (d *Damage) Error() string {
	var s strings.Builder
	kind := "damaged"
	if d.Cut {
		kind = "cut"
	}
	fmt.Fprintf(&s, "%s at byte %d", kind, d.Offset)
	if d.Bytes > 0 {
		fmt.Fprintf(&s, " for %d bytes", d.Bytes)
	}
	fmt.Fprintf(&s, ", record %d", d.Record)
	if d.Missing > 0 {
		fmt.Fprintf(&s, ", %d records missing", d.Missing)
	}
	if !d.After.IsZero() {
		fmt.Fprintf(&s, ", behind %s", d.After.Format(time.RFC3339Nano))
	}
	return s.String() + ": " + d.Reason
}

// EmptyError is a file that ends before its header does.
type EmptyError struct{ Bytes int64 }

// Error says what to do.
func (e *EmptyError) Error() string {
	if e.Bytes == 0 {
		return "the file is empty: the recording ended before anything was written, or the copy failed: copy it again"
	}
	return fmt.Sprintf("the file ends in its header, after %d bytes: copy it again", e.Bytes)
}

// FileError says which file an error is about.
type FileError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *FileError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns what was wrong with it.
func (e *FileError) Unwrap() error { return e.Err }
