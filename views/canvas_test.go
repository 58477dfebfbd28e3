package views

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"mqscope/themes"
)

func darkTheme(t testing.TB) *themes.Theme {
	t.Helper()
	th, err := themes.Choose(themes.Inputs{Flag: "mqscope-dark"}).Load(themes.TrueColor, nil)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func monoTheme(t testing.TB) *themes.Theme {
	t.Helper()
	th, err := themes.Choose(themes.Inputs{Flag: "mono"}).Load(themes.TrueColor, nil)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func plainOf(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = ansi.Strip(l)
	}
	return out
}

func TestDrawing(t *testing.T) {
	clean := NewCleaner()
	tests := []struct {
		name string
		w, h int
		draw func(a Area)
		want []string
	}{
		{"nothing gives empty lines", 5, 2, func(Area) {}, []string{"", ""}},
		{"text is cut at the edge", 5, 1, func(a Area) { a.Line(0).Put(themes.Text, "abcdefg") }, []string{"abcde"}},
		{"a wide cluster does not stick out", 5, 1, func(a Area) { a.Line(0).Text(themes.Text, clean.Cell("订单创")) }, []string{"订单"}},
		{"a wide cluster cut by later text becomes a blank", 6, 1, func(a Area) {
			a.Line(0).Text(themes.Text, clean.Cell("订单"))
			a.Line(0).To(1).Put(themes.Text, "x")
		}, []string{" x单"}},
		{"the second half of a wide cluster becomes a blank", 6, 1, func(a Area) {
			a.Line(0).Text(themes.Text, clean.Cell("订单"))
			a.Line(0).Put(themes.Text, "x")
		}, []string{"x 单"}},
		{"lines outside draw nothing", 3, 1, func(a Area) { a.Line(1).Put(themes.Text, "x"); a.Line(-1).Put(themes.Text, "y") }, []string{""}},
		{"a part has its own edges", 8, 1, func(a Area) { a.Sub(2, 0, 3, 1).Line(0).Put(themes.Text, "abcdef") }, []string{"  abc"}},
		{"a part beyond the edge is empty", 4, 1, func(a Area) { a.Sub(9, 9, 3, 3).Line(0).Put(themes.Text, "abc") }, []string{""}},
		{"right ends at the edge", 8, 1, func(a Area) { a.Line(0).Put(themes.Text, "ab").Right(Say(themes.Text, "yz")) }, []string{"ab    yz"}},
		{"right gives way when there is no room", 5, 1, func(a Area) { a.Line(0).Put(themes.Text, "abcd").Right(Say(themes.Text, "yz")) }, []string{"abcd"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c Canvas
			tt.draw(c.Reset(tt.w, tt.h))
			if diff := cmp.Diff(tt.want, plainOf(c.Lines(darkTheme(t)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestACanvasIsEmptyAfterReset(t *testing.T) {
	var c Canvas
	a := c.Reset(10, 2)
	a.Line(0).Put(themes.Bad, "old")
	a.Shade(1, themes.Select)
	a.Hit(0, 0, 1, 1, Hit{})
	c.Reset(10, 2)
	if diff := cmp.Diff([]string{"", ""}, c.Lines(darkTheme(t))); diff != "" || len(c.Hits()) != 0 || c.Hidden() != 0 {
		t.Error(diff, c.Hits())
	}
}

func TestASelectedRowKeepsItsGroundUnderText(t *testing.T) {
	var c Canvas
	a := c.Reset(8, 1)
	a.Shade(0, themes.Select)
	a.Line(0).Put(themes.OK, "ab").Put(themes.Bad, "cd")
	line := c.Lines(darkTheme(t))[0]
	if ansi.StringWidth(line) != 8 {
		t.Errorf("the ground ends early: %q", line)
	}
	if strings.Count(line, "48;2;38;79;107") == 0 || !strings.HasSuffix(line, "\x1b[49m") {
		t.Errorf("got %q", line)
	}
}

// TestNoColorKeepsTheCursor is the fault that styles alone lose the row cursor.
func TestNoColorKeepsTheCursor(t *testing.T) {
	var table Table
	var c Canvas
	table.Draw(c.Reset(20, 3), TableIn{
		Cols: []Column{{ID: "a", Head: "A"}}, N: 2, Sel: 1, Theme: monoTheme(t),
		Fill: func(i int, cells []Span) { cells[0] = Span{themes.Text, Exact(int64(i))} },
	})
	line := c.Lines(monoTheme(t))[2]
	if !strings.Contains(line, "►") || !strings.Contains(line, "\x1b[7m") {
		t.Errorf("the cursor is lost: %q", line)
	}
}

func TestHiddenCharactersAreDrawnInTheirOwnToken(t *testing.T) {
	var c Canvas
	th := darkTheme(t)
	c.Reset(20, 1).Line(0).Text(themes.Text, NewCleaner().Cell("a\x1bb"))
	watch, _ := th.Paint(themes.Watch)
	if line := c.Lines(th)[0]; !strings.Contains(line, watch+"␛") || c.Hidden() != 1 {
		t.Errorf("got %q, %d hidden", line, c.Hidden())
	}
}

func columnsForTest() []Column {
	return []Column{
		{ID: "name", Head: "NAME", Min: 6, Max: 30, Frozen: true, Grow: 2, Cut: CutMiddle},
		{ID: "lag", Head: "LAG", Right: true, Prio: 1},
		{ID: "why", Head: "WHY", Min: 4, Prio: 3},
		{ID: "next", Head: "NEXT", Right: true, Prio: 2},
	}
}

func drawTable(t testing.TB, table *Table, w, h int, in TableIn) ([]string, TableOut) {
	t.Helper()
	var c Canvas
	in.Theme = darkTheme(t)
	out := table.Draw(c.Reset(w, h), in)
	return plainOf(c.Lines(in.Theme)), out
}

func fillFor(names ...string) func(int, []Span) {
	clean := NewCleaner()
	return func(i int, cells []Span) {
		cells[0] = Span{themes.Text, clean.Cell(names[i])}
		cells[1] = Span{themes.Text, Exact(int64(i * 1000))}
		cells[2] = Say(themes.Text, "because")
		cells[3] = Span{themes.Text, Exact(123_456)}
	}
}

func TestColumnsGoByPriority(t *testing.T) {
	fill := fillFor("order-created-long-name", "pay")
	tests := []struct {
		name   string
		w      int
		hidden int
		want   []string
	}{
		{"all fit with wide gaps", 60, 0, []string{" NAME                       LAG  WHY         NEXT", "►order-created-long-name      0  because  123,456           ", " pay                      1,000  because  123,456"}},
		{"the least important goes first", 43, 1, []string{" NAME                       LAG     NEXT  ›", "►order-created-long-name      0  123,456   ", " pay                      1,000  123,456"}},
		{"then the next, and the name gets its width first", 34, 2, []string{" NAME                       LAG  ›", "►order-created-long-name      0   ", " pay                      1,000"}},
		{"then the name is cut", 20, 2, []string{" NAME           LAG›", "►order-cr…ame     0 ", " pay          1,000"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var table Table
			got, out := drawTable(t, &table, tt.w, 3, TableIn{Cols: columnsForTest(), N: 2, Fill: fill})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if out.Hidden != tt.hidden {
				t.Errorf("%d columns hidden, want %d", out.Hidden, tt.hidden)
			}
		})
	}
}

func TestColumnsScroll(t *testing.T) {
	var table Table
	got, _ := drawTable(t, &table, 30, 2, TableIn{Cols: columnsForTest(), N: 1, Sel: -1, Scroll: 2, Fill: fillFor("pay")})
	if !strings.Contains(got[0], "‹") || strings.Contains(got[0], "LAG") || !strings.Contains(got[0], "NEXT") {
		t.Errorf("got %q", got[0])
	}
	if n := Scrollable(columnsForTest()); n != 2 {
		t.Errorf("scrollable by %d, want 2", n)
	}
}

func TestColumnsGrowAtOnceAndShrinkLate(t *testing.T) {
	var table Table
	now := time.Unix(1000, 0)
	at := func(name string, after time.Duration) int {
		got, _ := drawTable(t, &table, 80, 2, TableIn{Cols: columnsForTest(), N: 1, Sel: -1, Fill: fillFor(name), Now: now.Add(after)})
		return strings.Index(got[0], "LAG")
	}
	wide, short := at("order-created", 0), at("pay", 9*time.Second)
	if wide != short {
		t.Errorf("the column shrank after 9 s: %d, %d", wide, short)
	}
	if late := at("pay", 11*time.Second); late >= wide {
		t.Errorf("the column is still %d cells wide after 11 s", late)
	}
	if again := at("order-created", 11*time.Second); again != wide {
		t.Errorf("the column did not grow at once: %d", again)
	}
}

// TestP50EveryRowHasTheSameWidth draws names that runes or bytes would miscount.
func TestP50EveryRowHasTheSameWidth(t *testing.T) {
	names := []string{"订单", "👩\u200d👩\u200d👧", "e\u0301", "plain", "订单-created-主题", "\x1b[31m"}
	var table Table
	got, _ := drawTable(t, &table, 60, 7, TableIn{Cols: columnsForTest(), N: len(names), Sel: -1, Fill: fillFor(names...)})
	want := ansi.StringWidth(strings.TrimRight(got[1], " "))
	for i, line := range got[1:] {
		if w := ansi.StringWidth(line); w != want {
			t.Errorf("row of %q is %d cells wide, want %d: %s", names[i], w, want, line)
		}
	}
}

// TestP52OnlyVisibleRowsAreFormatted: a list of any length costs what is on screen.
func TestP52OnlyVisibleRowsAreFormatted(t *testing.T) {
	var table Table
	asked := map[int]bool{}
	_, out := drawTable(t, &table, 60, 21, TableIn{
		Cols: columnsForTest(), N: 160_000, Sel: 80_000, Top: 79_990,
		Fill: func(i int, cells []Span) { asked[i] = true; cells[0] = Span{themes.Text, Exact(int64(i))} },
	})
	if len(asked) != 20 || !asked[79_990] || !asked[80_009] || out.Top != 79_990 {
		t.Errorf("%d rows were asked for, from %d", len(asked), out.Top)
	}
}

func TestTopFollowsTheCursor(t *testing.T) {
	tests := []struct {
		name               string
		top, sel, shown, n int
		want               int
	}{
		{"it stays while the cursor is seen", 10, 15, 10, 100, 10},
		{"it goes up with the cursor", 10, 5, 10, 100, 5},
		{"it goes down with the cursor", 10, 25, 10, 100, 16},
		{"it leaves no empty lines at the end", 95, 99, 10, 100, 90},
		{"a short list starts at its first row", 3, 1, 10, 4, 0},
		{"no rows", 5, -1, 10, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := TopFor(tt.top, tt.sel, tt.shown, tt.n); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestOverKeepsTheFramesSize(t *testing.T) {
	th := darkTheme(t)
	frame := []string{"订单订单订单", "abcdefghijkl", ""}
	for x := range 10 {
		got := Over(frame, Box{X: x, Y: 0, W: 3, H: 3, Lines: []string{"###", "#", "###"}})
		for y, line := range got {
			want := max(ansi.StringWidth(frame[y]), x+3)
			if w := ansi.StringWidth(line); w != want {
				t.Errorf("at %d line %d is %d cells wide, want %d: %q", x, y, w, want, line)
			}
		}
	}
	open, end := th.Paint(themes.OK)
	got := Over([]string{open + "abcdef" + end}, Box{X: 2, W: 2, H: 1, Lines: []string{"##"}})
	if s := ansi.Strip(got[0]); s != "ab##ef" {
		t.Errorf("got %q", s)
	}
	if strings.Count(got[0], open) < 2 && !strings.Contains(got[0], "ef"+end) {
		t.Errorf("what is right of the box lost its look: %q", got[0])
	}
}

func TestPanes(t *testing.T) {
	g := themes.Unicode()
	tests := []struct {
		name string
		pane Pane
		w    int
		want []string
	}{
		{"a box", Pane{Title: Spans{Say(themes.Title, "Offsets")}, Note: Spans{Say(themes.Muted, "exact")}, Boxed: true}, 30,
			[]string{"╭ Offsets ─────────── exact ─╮", "│                            │", "╰────────────────────────────╯"}},
		{"a focused box", Pane{Title: Spans{Say(themes.Title, "A")}, Focused: true, Boxed: true}, 12, []string{"╭ ▸ A ─────╮", "│          │", "╰──────────╯"}},
		{"a rule", Pane{Title: Spans{Say(themes.Title, "A")}, Note: Spans{Say(themes.Muted, "b")}}, 12, []string{"─ A ──── b ─", "", ""}},
		{"a note gives way", Pane{Title: Spans{Say(themes.Title, "Offsets")}, Note: Spans{Say(themes.Muted, "exact")}}, 14, []string{"─ Offsets ────", "", ""}},
		{"a title is cut", Pane{Title: Spans{Say(themes.Title, "Offsets")}}, 9, []string{"─ Offs… ─", "", ""}},
		{"no room for anything", Pane{Title: Spans{Say(themes.Title, "Offsets")}, Boxed: true}, 3, []string{"╭─╮", "│ │", "╰─╯"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var c Canvas
			tt.pane.Draw(c.Reset(tt.w, 3), g)
			if diff := cmp.Diff(tt.want, plainOf(c.Lines(darkTheme(t)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPlainTextIsTheSameInEveryTheme(t *testing.T) {
	draw := func(th *themes.Theme) string {
		var c Canvas
		a := c.Reset(30, 2)
		a.Shade(1, themes.Select)
		a.Line(0).Put(themes.Bad, "bad ").Put(themes.OK, "ok")
		a.Line(1).Put(themes.Muted, "x")
		return fmt.Sprint(plainOf(c.Lines(th)))
	}
	if a, b := draw(darkTheme(t)), draw(monoTheme(t)); a != b {
		t.Errorf("%s\n%s", a, b)
	}
}
