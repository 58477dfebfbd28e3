package overlay

import (
	"mqscope/keymap"
	"mqscope/views"
)

// Ways to take along what is on screen.
const (
	ExportCSV  = "csv"
	ExportTSV  = "tsv"
	ExportJSON = "json"
	ExportText = "text"
	ExportSVG  = "svg"
)

// OfFrame tells whether a way takes the frame, not the table.
func OfFrame(way string) bool { return way == ExportText || way == ExportSVG }

// ExportExt is how the names of files of a way end.
func ExportExt(way string) string {
	if way == ExportText {
		return "txt"
	}
	return way
}

// ExportPick offers the ways: those of the table only where there is one.
func ExportPick(s views.Sheet, table bool, clean *views.Cleaner) views.Pick {
	p := views.Pick{Title: "Export"}
	if table {
		n := len(s.Rows)
		rows := views.Join(views.Exact(int64(n)), views.Own(views.Plural(n, " row of ", " rows of ")), clean.Cell(s.Name))
		note := func(l views.Lit) views.Safe { return views.Join(rows, views.Own(l)) }
		p.Options = append(p.Options,
			views.Option{ID: ExportCSV, Name: views.Own("CSV"), Note: note(", for spreadsheets")},
			views.Option{ID: ExportTSV, Name: views.Own("TSV"), Note: note(", a line each")},
			views.Option{ID: ExportJSON, Name: views.Own("JSON"), Note: note(", with what is not known")})
	}
	p.Options = append(p.Options,
		views.Option{ID: ExportText, Name: views.Own("text"), Note: views.Own("the screen as it is, without colours")},
		views.Option{ID: ExportSVG, Name: views.Own("SVG"), Note: views.Own("the screen as it is, a picture")})
	return p
}

// ReplaceFile asks before a file goes.
func ReplaceFile(path views.Safe) Question {
	return Question{
		Risk: keymap.Local, Send: "Replace", What: views.Join(views.Own("Replace "), path),
		Effects: []views.Safe{views.Own("there is a file of that name, and what it holds is lost")},
	}
}
