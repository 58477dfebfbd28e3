package tui

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/snapshot"
	"mqscope/tui/newfile"
	"mqscope/views"
	"mqscope/views/export"
	"mqscope/views/overlay"
)

// taken is the screen as it was when a person wished to take it along: what happens until a
// name is typed does not change it.
type taken struct {
	view  string
	group string
	title string
	at    time.Time
	frame string
	sheet views.Sheet
}

// exportedMsg says how writing a file went.
type exportedMsg struct {
	path string
	n    int
	data func() []byte
	err  error
}

// askExport offers the ways to take the table or the frame along.
func (m *model) askExport() {
	if m.frame.dirty && m.sized() {
		m.compose(m.now())
	}
	top := m.stack.top()
	t := taken{view: top.view.ID(), at: m.now(), frame: m.frame.text, title: "mqscope"}
	if s := m.shown; s != nil {
		t.at, t.group = s.At, s.Group.Name
		t.title += ", group " + t.group + ", " + s.At.Format(time.RFC3339)
	}
	table := false
	if x, ok := top.view.(views.Exporter); ok {
		t.sheet, table = x.Sheet(m.in())
	}
	if t.sheet.Name == "" {
		t.sheet.Name = t.view
	}
	m.push(&layer{Overlay: overlay.NewPicker(overlay.ExportPick(t.sheet, table, m.clean)), taken: func(m *model, r overlay.Result) tea.Cmd {
		m.askName(t, r.Choice)
		return nil
	}})
}

// export is askExport by its name.
func (m *model) export(string) views.Lit {
	m.askExport()
	return ""
}

// askName asks for the name of the file, and has one to offer.
func (m *model) askName(t taken, way string) {
	name := t.sheet.Name
	if overlay.OfFrame(way) {
		name = t.view
	}
	i := newInput(views.Input{Prompt: "save as ", Text: fileName(name, t.group, t.at, way), Submit: true, Note: "for you alone to read"})
	i.done = func(m *model, text string) tea.Cmd { return m.save(t, way, text) }
	m.input = i
}

// fileName is made of letters that every disk takes.
func fileName(name, group string, at time.Time, way string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			return r
		}
		return '_'
	}, group)
	if len(plain) > 64 {
		plain = plain[:64]
	}
	if plain != "" {
		plain = "-" + plain
	}
	return name + plain + "-" + at.Format("20060102-150405") + "." + overlay.ExportExt(way)
}

// save writes the file, beside the screen's own loop: a disk may be slow.
func (m *model) save(t taken, way, name string) tea.Cmd {
	if strings.TrimSpace(name) == "" {
		m.toast(snapshot.MarkWatch, views.Own("No name, so nothing was written"))
		return nil
	}
	theme := m.theme
	data := func() []byte {
		switch way {
		case overlay.ExportCSV:
			return export.CSV(t.sheet, false)
		case overlay.ExportTSV:
			return export.TSV(t.sheet, false)
		case overlay.ExportJSON:
			return export.JSON(t.sheet)
		case overlay.ExportSVG:
			return export.SVG(t.frame, t.title, theme)
		}
		return export.Text(t.frame)
	}
	return writeFile(name, false, data)
}

func writeFile(name string, replace bool, data func() []byte) tea.Cmd {
	return func() tea.Msg {
		path, err := filepath.Abs(name)
		if err != nil {
			return exportedMsg{path: name, err: err}
		}
		b := data()
		err = newfile.Write(path, replace, func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		return exportedMsg{path, len(b), data, err}
	}
}

// exported tells how it went; where there is a file of that name already it asks.
func (m *model) exported(msg exportedMsg) {
	path := m.clean.Cell(msg.path)
	switch {
	case errors.Is(msg.err, fs.ErrExist):
		m.push(&layer{Overlay: overlay.NewConfirm(overlay.ReplaceFile(path)), taken: func(*model, overlay.Result) tea.Cmd {
			return writeFile(msg.path, true, msg.data)
		}, left: func(m *model) { m.toast(snapshot.MarkWatch, views.Own("Nothing was written")) }})
	case msg.err != nil:
		m.toast(snapshot.MarkBad, views.Join(views.Own("Nothing was written: "), m.clean.Cell(reason(msg.err))))
	default:
		m.toast(snapshot.MarkOK, views.Join(views.Own("Saved "), path.Middle(max(m.w-24, 10), m.theme.Glyphs), views.Own(", "), views.Bytes(int64(msg.n), false)))
	}
}

// reason is an error with a remedy, where one is known.
func reason(err error) string {
	path, ok := errors.AsType[*fs.PathError](err)
	switch {
	case ok && errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("there is no folder %s", filepath.Dir(path.Path))
	case ok && errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("the folder %s may not be written to: give the name with another one", filepath.Dir(path.Path))
	}
	return err.Error()
}
