package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"
	"unicode/utf8"

	"mqscope/engine/recording"
	"mqscope/engine/snapshot"
)

const (
	// MarksSuffix is what the name of a file of bookmarks has behind that of its recording.
	MarksSuffix  = ".marks"
	marksVersion = 1
)

// marksFile is the file of the bookmarks of one recording.
type marksFile struct {
	disk    Disk
	path    string
	id      string
	records uint64
}

// marksJSON is what is in it.
type marksJSON struct {
	Version   int           `json:"version"`
	Recording marksOf       `json:"recording"`
	Bookmarks []markOfMarks `json:"bookmarks"`
}

type marksOf struct {
	ID      string `json:"id"`
	Records uint64 `json:"records"`
}

type markOfMarks struct {
	Number int       `json:"number"`
	Event  uint64    `json:"event"`
	At     time.Time `json:"at"`
	Note   string    `json:"note,omitempty"`
}

// OpenBookmarks reads the bookmarks of a recording from the file beside it, which need not be
// there. A file that is not theirs is left alone: they are kept in memory then.
func OpenBookmarks(disk Disk, recordingPath string, info Info) *Bookmarks {
	b := &Bookmarks{file: &marksFile{disk: disk, path: recordingPath + MarksSuffix, id: recordingID(&info.Header), records: info.Total}}
	list, _, err := b.file.load()
	if err != nil {
		b.forget(err)
		return b
	}
	b.list = list
	return b
}

// recordingID tells a recording from others by what its header says: it is not another one when
// it is longer now, or has another name.
func recordingID(h *recording.Header) string {
	sum := sha256.New()
	for _, field := range []string{h.Program, h.Source, h.Cluster, h.Group, strconv.FormatInt(h.Created.UnixNano(), 10), strconv.FormatUint(h.First, 10)} {
		fmt.Fprintf(sum, "%d:%s", len(field), field)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// load reads the file; found is false where there is none.
func (f *marksFile) load() (list []snapshot.Bookmark, found bool, err error) {
	text, err := f.disk.Read(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	var in marksJSON
	if err := json.Unmarshal(text, &in); err != nil {
		return nil, false, fmt.Errorf("%s is no file of bookmarks, it is left alone: move it away", f.path)
	}
	switch {
	case in.Version != marksVersion:
		return nil, false, fmt.Errorf("%s has version %d, this program knows %d; it is left alone", f.path, in.Version, marksVersion)
	case in.Recording.ID != f.id:
		return nil, false, fmt.Errorf("%s belongs to another recording, it is left alone: move it away", f.path)
	}
	list, err = in.list()
	if err != nil {
		return nil, false, fmt.Errorf("%s is damaged (%w), it is left alone: mend it or move it away", f.path, err)
	}
	return list, true, nil
}

// list checks what was read.
func (in *marksJSON) list() ([]snapshot.Bookmark, error) {
	if len(in.Bookmarks) > mostBookmarks {
		return nil, fmt.Errorf("%d bookmarks, at most %d", len(in.Bookmarks), mostBookmarks)
	}
	taken := map[int]bool{}
	list := []snapshot.Bookmark{}
	for _, m := range in.Bookmarks {
		switch {
		case m.Number < 1 || taken[m.Number]:
			return nil, fmt.Errorf("bookmark number %d", m.Number)
		case utf8.RuneCountInString(m.Note) > mostNote:
			return nil, fmt.Errorf("the note of bookmark %d is too long", m.Number)
		}
		taken[m.Number] = true
		list = append(list, snapshot.Bookmark(m))
	}
	sortMarks(list)
	return list, nil
}

// save writes the file, all of it or nothing.
func (f *marksFile) save(list []snapshot.Bookmark) error {
	out := marksJSON{Version: marksVersion, Recording: marksOf{f.id, f.records}, Bookmarks: []markOfMarks{}}
	for _, m := range list {
		out.Bookmarks = append(out.Bookmarks, markOfMarks(m))
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&out); err != nil {
		return err
	}
	return f.disk.Write(f.path, text.Bytes())
}
