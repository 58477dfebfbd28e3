package replay

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"mqscope/engine/snapshot"
)

const (
	mostBookmarks = 1000
	mostNote      = 1000 // runes of a note
)

// Bookmarks are those of one recording, with their notes. They are kept in a file beside it where
// that is possible, else in memory. One goroutine owns them.
type Bookmarks struct {
	list []snapshot.Bookmark // by event, then number; never changed in place
	file *marksFile          // nil: in memory only
	why  string              // why they are in memory only, to be said
}

// NewBookmarks are kept in memory.
func NewBookmarks() *Bookmarks { return &Bookmarks{} }

// List are the bookmarks, by event.
func (b *Bookmarks) List() []snapshot.Bookmark { return b.list }

// Trouble is why they are kept in memory only, empty when they are not or it was said already.
func (b *Bookmarks) Trouble() string {
	why := b.why
	b.why = ""
	return why
}

// Mark sets a bookmark at an event, or, where number is not zero, changes the note of that one. At
// an event that has one already it changes the note of that.
func (b *Bookmarks) Mark(number int, event uint64, at time.Time, note string) error {
	if n := utf8.RuneCountInString(note); n > mostNote {
		return fmt.Errorf("the note has %d characters, at most %d are allowed", n, mostNote)
	}
	return b.change(func(list []snapshot.Bookmark) ([]snapshot.Bookmark, error) {
		i := slices.IndexFunc(list, func(m snapshot.Bookmark) bool {
			return number != 0 && m.Number == number || number == 0 && m.Event == event
		})
		switch {
		case i >= 0:
			list[i].Note = note
			return list, nil
		case number != 0:
			return nil, fmt.Errorf("there is no bookmark %d", number)
		case len(list) >= mostBookmarks:
			return nil, fmt.Errorf("there are %d bookmarks, more are not kept: take some away", mostBookmarks)
		}
		return append(list, snapshot.Bookmark{Number: free(list), Event: event, At: at, Note: note}), nil
	})
}

// Unmark takes a bookmark away.
func (b *Bookmarks) Unmark(number int) error {
	return b.change(func(list []snapshot.Bookmark) ([]snapshot.Bookmark, error) {
		i := slices.IndexFunc(list, func(m snapshot.Bookmark) bool { return m.Number == number })
		if i < 0 {
			return nil, fmt.Errorf("there is no bookmark %d", number)
		}
		return slices.Delete(list, i, i+1), nil
	})
}

// free is the smallest number that no bookmark has: the line of time has room for one digit.
func free(list []snapshot.Bookmark) int {
	taken := map[int]bool{}
	for _, m := range list {
		taken[m.Number] = true
	}
	n := 1
	for taken[n] {
		n++
	}
	return n
}

// change makes a new list of what is in the file now, where there is one: another program may
// show the same recording. Where the file fails they are kept in memory, which is no error.
func (b *Bookmarks) change(how func([]snapshot.Bookmark) ([]snapshot.Bookmark, error)) error {
	list := slices.Clone(b.list)
	if b.file != nil {
		switch now, found, err := b.file.load(); {
		case err != nil:
			b.forget(err)
		case found:
			list = now
		}
	}
	list, err := how(list)
	if err != nil {
		return err
	}
	sortMarks(list)
	if b.file != nil {
		if err := b.file.save(list); err != nil {
			b.forget(err)
		}
	}
	b.list = list
	return nil
}

// forget keeps them in memory from now on.
func (b *Bookmarks) forget(err error) {
	b.file, b.why = nil, "bookmarks are kept in memory only: "+err.Error()
}

func sortMarks(list []snapshot.Bookmark) {
	slices.SortFunc(list, func(x, y snapshot.Bookmark) int {
		return cmp.Or(cmp.Compare(x.Event, y.Event), cmp.Compare(x.Number, y.Number))
	})
}
