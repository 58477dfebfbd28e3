package views

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"mqscope/themes"
)

func cleanerFor(g *themes.Glyphs) *Cleaner {
	c := NewCleaner()
	c.Use(g)
	return c
}

// TestCleaningTable is the table of tui.md section 5.4.
func TestCleaningTable(t *testing.T) {
	tests := []struct {
		name, in, want, ascii string
	}{
		{"plain text stays", "order-created", "order-created", "order-created"},
		{"escape becomes its picture", "\x1b[31mRED", "␛[31mRED", "^[[31mRED"},
		{"nul and delete become pictures", "a\x00b\x7f", "a␀b␡", "a^@b^?"},
		{"a tab goes to the next stop", "ab\tc", "ab      c", "ab      c"},
		{"line feeds are shown in a cell", "a\r\nb", "a␍␊b", "a^M^Jb"},
		{"C1 controls are escaped", "\u009b6n", `\u009b6n`, `\u009b6n`},
		{"a raw C1 byte is an invalid byte", "\x9b6n", `\x9b6n`, `\x9b6n`},
		{"marks of direction are escaped", "\u202eabc\u2066", `\u202eabc\u2066`, `\u202eabc\u2066`},
		{"invisible characters are escaped", "a\u200b\ufeffb\u00ad", `a\u200b\ufeffb\u00ad`, `a\u200b\ufeffb\u00ad`},
		{"odd spaces are escaped", "a\u00a0b\u2003c", `a\u00a0b\u2003c`, `a\u00a0b\u2003c`},
		{"line separators are escaped", "a\u2028b", `a\u2028b`, `a\u2028b`},
		{"tag characters are escaped", "x\U000e0041", `x\U000e0041`, `x\U000e0041`},
		{"private use is escaped", "\ue000", `\ue000`, `\ue000`},
		{"unassigned is escaped", "\u0378", `\u0378`, `\u0378`},
		{"variation selectors are escaped", "❤\ufe0f", `❤\ufe0f`, `\u2764\ufe0f`},
		{"fillers that draw nothing are escaped", "\u3164\u2800", `\u3164\u2800`, `\u3164\u2800`},
		{"a joined family falls into its members", "👩\u200d👧", `👩\u200d👧`, `\U0001f469\u200d\U0001f467`},
		{"invalid bytes are shown one by one", "\xff\xc3", `\xff\xc3`, `\xff\xc3`},
		{"the replacement character itself is text", "a\ufffdb", "a\ufffdb", `a\ufffdb`},
		{"wide text stays", "订单", "订单", `\u8ba2\u5355`},
		{"a mark on a base stays", "e\u0301", "e\u0301", `e\u0301`},
		{"four marks stay", "e\u0301\u0302\u0303\u0304", "e\u0301\u0302\u0303\u0304", `e\u0301\u0302\u0303\u0304`},
		{"five marks become a count", "e\u0301\u0302\u0303\u0304\u0305x", `e\u…5x`, `e\u0301\u0302\u0303\u0304\u0305x`},
		{"a mark without a base is escaped", "\u0301a", `\u0301a`, `\u0301a`},
		{"a mark behind an escape is escaped", "\u200b\u0301", `\u200b\u0301`, `\u200b\u0301`},
		{"the ideographic space stays", "订\u3000单", "订\u3000单", `\u8ba2\u3000\u5355`},
		{"empty stays empty", "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cleanerFor(themes.Unicode()).Cell(tt.in).String(); got != tt.want {
				t.Errorf("unicode: got %q, want %q", got, tt.want)
			}
			if got := cleanerFor(themes.ASCII()).Cell(tt.in).String(); got != tt.ascii {
				t.Errorf("ascii: got %q, want %q", got, tt.ascii)
			}
		})
	}
}

func TestHundredsOfMarksCostOneCount(t *testing.T) {
	got := NewCleaner().Cell("e" + strings.Repeat("\u0301", 900) + "!")
	if got.String() != `e\u…900!` {
		t.Errorf("got %q", got)
	}
}

func TestALongTextIsCutAtACluster(t *testing.T) {
	c := NewCleaner()
	got := c.Cell(strings.Repeat("订", 3<<20/3))
	if n := utf8.RuneCountInString(got.String()); n > cellClusters {
		t.Errorf("%d clusters are left", n)
	}
	if !strings.HasSuffix(got.String(), "订… 3.0 MiB more") {
		t.Errorf("it ends with %q", got.tail(30))
	}
	if again := c.Cell(got.String()); again.String() != got.String() {
		t.Errorf("cleaning it again gives %q", again)
	}
}

func TestHiddenCharactersAreCounted(t *testing.T) {
	if n := NewCleaner().Cell("a\x1bb\u202ec\xff").Hidden(); n != 3 {
		t.Errorf("%d hidden characters, want 3", n)
	}
}

func TestChangingTheSignsForgetsOldNames(t *testing.T) {
	c := NewCleaner()
	c.Cell("订单")
	c.Use(themes.ASCII())
	if got := c.Cell("订单").String(); got != `\u8ba2\u5355` {
		t.Errorf("got %q", got)
	}
}

func TestBodyKeepsItsLines(t *testing.T) {
	lines, rest := NewCleaner().Body([]byte("one\n\ttwo\x1b\n\n订单"))
	var got []string
	for _, l := range lines {
		got = append(got, l.String())
	}
	if diff := cmp.Diff([]string{"one", "        two␛", "", "订单"}, got); diff != "" || rest != 0 {
		t.Errorf("rest %d, %s", rest, diff)
	}
}

func TestALargeBodyIsCutAndSaysSo(t *testing.T) {
	lines, rest := NewCleaner().Body([]byte(strings.Repeat("订", 100_000)))
	if rest != 300_000-65_535 {
		t.Errorf("rest is %d", rest)
	}
	if last := lines[len(lines)-1].String(); last != "… 229 KiB more" {
		t.Errorf("the last line is %q", last)
	}
}

// TestP48EscapesNeverComeThrough cleans the payloads of reliability.md section 3.2.
func TestP48EscapesNeverComeThrough(t *testing.T) {
	for _, in := range []string{
		"\x1b]52;c;ZXZpbA==\x07", "\x1b]0;t\x1b\\", "\x1b[2J", "\x1b[6n", "\x1bP+q\x1b\\", "\x1b]8;;http://x\x07y", "\x9b31m", "\u009b31m",
		"\u009d0;t\u009c", "\r overwritten", "\b\b\b", "\a", "\x1bc", "unterminated \x1b]0;", "\u202e",
	} {
		checkSafe(t, NewCleaner().Cell(in))
	}
}

func checkSafe(t testing.TB, s Safe) {
	t.Helper()
	text := s.String()
	if !utf8.ValidString(text) {
		t.Fatalf("%q is no UTF-8", text)
	}
	sum := 0
	for rest := text; rest != ""; {
		c, w := cluster(rest)
		sum += w
		rest = rest[len(c):]
		if w > 2 || w < 1 {
			t.Fatalf("cluster %q of %q has %d cells", c, text, w)
		}
	}
	if sum != s.Width() || ansi.StringWidth(text) != s.Width() {
		t.Fatalf("%q: width %d, its clusters have %d, the library says %d", text, s.Width(), sum, ansi.StringWidth(text))
	}
	for _, r := range text {
		if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || invisible(r) {
			t.Fatalf("%q has %U", text, r)
		}
	}
	if got := ansi.StringWidth("│" + text + "│x"); got != s.Width()+3 {
		t.Fatalf("%q joins its neighbours: %d cells", text, got-3)
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{
		"order-created", "\x1b]52;c;eA==\x07", "\u202e订单\u200d👩\u200d👧", "e\u0301\u0302\u0303\u0304\u0305\u0306", "\xff\xfe", "🇨🇳🇨", "\u1100\u1161\u11a8",
		"\u0e33a", "क्षि", "\u0600x", "👍🏽🏽🏽", strings.Repeat("\u0301", 50), "a\tb\nc", "\U000e0041", "\u2028", "\x1bP", "\u009d", "ᄀᄀᄀ각ᆨᆨ",
	} {
		f.Add([]byte(s))
	}
	uni, asc := themes.Unicode(), themes.ASCII()
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, g := range []*themes.Glyphs{uni, asc} {
			c := cleanerFor(g)
			once := c.Cell(string(b))
			checkSafe(t, once)
			if twice := c.Cell(once.String()); twice.String() != once.String() {
				t.Fatalf("%q cleaned again is %q", once, twice)
			}
			if g.ASCII && strings.ContainsFunc(once.String(), func(r rune) bool { return r > 0x7e }) {
				t.Fatalf("%q is not ASCII", once)
			}
			for _, w := range []int{0, 1, 2, 3, 7, 20} {
				for _, cut := range []Safe{once.Cut(w, g), once.Middle(w, g), once.Tail(w, g)} {
					if cut.Width() > w {
						t.Fatalf("%q cut to %d cells is %q with %d", once, w, cut, cut.Width())
					}
					checkSafe(t, cut)
				}
			}
			lines, _ := c.Body(b)
			for _, l := range lines {
				checkSafe(t, l)
			}
		}
	})
}

func TestCuts(t *testing.T) {
	g, c := themes.Unicode(), NewCleaner()
	tests := []struct {
		name string
		got  Safe
		want string
	}{
		{"what fits is left alone", c.Cell("abc").Cut(3, g), "abc"},
		{"the end is cut", c.Cell("abcdef").Cut(4, g), "abc…"},
		{"the middle is cut", c.Cell("%RETRY%order-svc").Middle(10, g), "%RETRY…svc"},
		{"the head is cut", Exact(9_223_372_036_854_775_807).Tail(8, g), "…775,807"},
		{"a wide cluster is not split at the end", c.Cell("订单订单").Cut(6, g), "订单…"},
		{"a wide cluster is not split in the middle", c.Cell("订单创建成功").Middle(7, g), "订单…功"},
		{"a wide cluster is not split at the head", c.Cell("订单订单").Tail(4, g), "…单"},
		{"one cell is too little for a wide cluster", c.Cell("订单").Cut(1, g), ""},
		{"nothing fits into nothing", c.Cell("abc").Cut(0, g), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got.String() != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
			checkSafe(t, tt.got)
		})
	}
}

func TestWrapBreaksAtSpaces(t *testing.T) {
	var got []string
	for _, l := range Own("a listener returned nothing for a long time").Wrap(18) {
		got = append(got, l.String())
		checkSafe(t, l)
	}
	if diff := cmp.Diff([]string{"a listener", "returned nothing", "for a long time"}, got); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkCellCached(b *testing.B) {
	c := NewCleaner()
	b.ReportAllocs()
	for b.Loop() {
		c.Cell("订单-created-\u202e")
	}
}

func BenchmarkBody64KiB(b *testing.B) {
	c, body := NewCleaner(), []byte(strings.Repeat("订单 paid\x1b[0m\n", 5000))
	b.SetBytes(64 << 10)
	for b.Loop() {
		c.Body(body)
	}
}
