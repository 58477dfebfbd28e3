package transport_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
	"mqscope/views/transport"
	"mqscope/views/viewtest"
)

const root = "../.."

// shot draws a frame around an empty body as package tui does.
func shot(t testing.TB, s *snapshot.Snapshot, w, h int, th *themes.Theme) ([]string, []views.Hit) {
	t.Helper()
	return views.NewFramer().Frame(views.Chrome{
		W: w, H: h, Snap: s, Now: s.At, Theme: th, Keys: viewtest.Keys(t), Place: keymap.InQueues, Tab: "queues",
		Dock: transport.New(), DockLines: transport.Height(w, h),
	}, views.Out{})
}

func changed(change func(*snapshot.Snapshot)) *snapshot.Snapshot {
	s := viewtest.Replayed(viewtest.Normal())
	change(s)
	return s
}

func cases() []viewtest.Case {
	from := viewtest.Replayed(viewtest.Normal()).Replay.From
	return []viewtest.Case{
		{Name: "stopped", Snap: changed(func(*snapshot.Snapshot) {})},
		{Name: "playing", Snap: changed(func(s *snapshot.Snapshot) { s.Replay.Playing, s.Replay.Speed = true, 0; s.Replay.Searched = 40_000 })},
		{Name: "looking", Snap: changed(func(s *snapshot.Snapshot) { s.Replay.Sought = 15_301 })},
		{Name: "inferred", Snap: changed(func(s *snapshot.Snapshot) {
			s.Replay.Inferred, s.Replay.Client, s.Replay.Speed = true, "10.0.0.9@1#a", 0.1
		})},
		{Name: "damaged", Snap: changed(func(s *snapshot.Snapshot) {
			s.Replay.Damage = "cut at byte 81,204,112, record 90,312: the file ends in a block"
		})},
		{Name: "departed", Snap: changed(func(s *snapshot.Snapshot) {
			s.Replay.Departed = "event 12,001: pull.flow was span, is count \x1b[2J"
		})},
		{Name: "beginning", Snap: changed(func(s *snapshot.Snapshot) {
			s.At, s.Replay.Event, s.Replay.At = from, 0, time.Time{}
			s.Replay.Near = s.Replay.Near[1:]
		})},
		{Name: "end", Snap: changed(func(s *snapshot.Snapshot) {
			s.At, s.Replay.Event, s.Replay.Total = s.Replay.To, 18_249, 18_249
		})},
		{Name: "days", Snap: changed(func(s *snapshot.Snapshot) { s.Replay.To = s.Replay.To.Add(72 * time.Hour) })},
		{Name: "empty", Snap: changed(func(s *snapshot.Snapshot) {
			s.Replay = snapshot.Replay{Known: true, File: "x.mqrec", Speed: 1}
		})},
		{Name: "hostile", Snap: changed(func(s *snapshot.Snapshot) {
			s.Replay.File = "/tmp/\x1b]0;owned\a订单订单订单订单订单订单订单订单订单.mqrec"
			s.Replay.Bookmarks = append(s.Replay.Bookmarks, snapshot.Bookmark{Number: 12, Event: 70_000, At: s.Replay.To.Add(-time.Minute)})
			s.Replay.Total = 1 << 62
		})},
	}
}

func TestGoldenFrames(t *testing.T) {
	th := viewtest.Theme(t, "mqscope-dark", "unicode")
	for _, c := range cases() {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {100, 30}, {120, 36}} {
			t.Run(fmt.Sprintf("%s at %dx%d", c.Name, size[0], size[1]), func(t *testing.T) {
				lines, hits := shot(t, c.Snap, size[0], size[1], th)
				viewtest.CheckFrame(t, lines, size[0], size[1], th)
				viewtest.CheckHits(t, hits, size[0], size[1], viewtest.Keys(t))
				var drawn []string // an empty body says nothing
				for _, l := range viewtest.Plain(lines) {
					if strings.TrimSpace(l) != "" {
						drawn = append(drawn, l)
					}
				}
				viewtest.Golden(t, root, fmt.Sprintf("transport/%s.%dx%d.txt", c.Name, size[0], size[1]), drawn)
			})
		}
	}
}

func TestEveryThemeSaysTheSame(t *testing.T) {
	for _, c := range cases() {
		for _, glyphs := range themes.GlyphNames() {
			var want string
			for i, name := range []string{"mono", "mqscope-light", "terminal-16"} {
				th := viewtest.Theme(t, name, glyphs)
				lines, _ := shot(t, c.Snap, 120, 36, th)
				viewtest.CheckFrame(t, lines, 120, 36, th)
				got := strings.Join(viewtest.Plain(lines), "\n")
				if i > 0 && got != want {
					t.Errorf("%s in %s %s differs from mono", c.Name, name, glyphs)
				}
				want = got
			}
		}
	}
}

func TestEverySizeGivesExactlyItsLines(t *testing.T) {
	th := viewtest.Theme(t, "mono", "unicode")
	for _, c := range cases() {
		for w := views.FloorW; w <= 300; w += 7 {
			for h := views.FloorH; h <= 60; h += 5 {
				lines, hits := shot(t, c.Snap, w, h, th)
				viewtest.CheckFrame(t, lines, w, h, th)
				viewtest.CheckHits(t, hits, w, h, viewtest.Keys(t))
			}
		}
	}
}

func TestAnyRecordingCanBeDrawn(t *testing.T) {
	th := viewtest.Theme(t, "mono", "unicode")
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 7))
		s := viewtest.Replayed(viewtest.Normal())
		r := &s.Replay
		r.Total, r.Event, r.Searched = rng.Uint64(), rng.Uint64(), rng.Uint64()
		r.From, r.To = time.Unix(rng.Int64N(1<<40), 0), time.Unix(rng.Int64N(1<<40), 0)
		s.At, r.Speed = time.Unix(rng.Int64N(1<<40), 0), rng.NormFloat64()*100
		r.Near = r.Near[:rng.IntN(len(r.Near)+1)]
		for i := range r.Interests {
			r.Interests[i].Event, r.Interests[i].At = rng.Uint64(), time.Unix(rng.Int64N(1<<40), 0)
		}
		w, h := 60+rng.IntN(200), 16+rng.IntN(60)
		lines, hits := shot(t, s, w, h, th)
		viewtest.CheckFrame(t, lines, w, h, th)
		viewtest.CheckHits(t, hits, w, h, viewtest.Keys(t))
	}
}

// TestAClickOnTheLineLeadsThere clicks on each end of the line and on its middle.
func TestAClickOnTheLineLeadsThere(t *testing.T) {
	lines, hits := shot(t, viewtest.Replayed(viewtest.Normal()), 120, 36, viewtest.Theme(t, "mono", "unicode"))
	bar := []rune(viewtest.Plain(lines)[34])
	var seeks []string
	for _, h := range hits {
		if to, ok := strings.CutPrefix(h.Text, transport.SeekPrefix); ok {
			seeks = append(seeks, to)
			if h.Y != 34 || strings.ContainsRune("├┤ ", bar[h.X]) {
				t.Errorf("%s is at %d,%d", to, h.X, h.Y)
			}
		}
	}
	if len(seeks) < 20 || seeks[0] != "0%" || seeks[len(seeks)-1] != "100%" {
		t.Errorf("clicks lead to %v", seeks)
	}
}

func TestKeysOfTheBarAreThoseOfTheMap(t *testing.T) {
	keys, problems := keymap.New(map[string][]string{"replay-play": {"f5"}, "replay-step": {}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := viewtest.Replayed(viewtest.Normal())
	lines, _ := views.NewFramer().Frame(views.Chrome{W: 120, H: 36, Snap: s, Now: s.At, Theme: viewtest.Theme(t, "mono", "unicode"), Keys: keys, Dock: transport.New()}, views.Out{})
	if bar := viewtest.Plain(lines)[34]; !strings.HasSuffix(bar, " f5 , < > [ ] ;") {
		t.Errorf("the bar is %q", bar)
	}
}

func TestTenThousandPointsOfInterestAreDrawnQuickly(t *testing.T) {
	s := manyPoints()
	th := viewtest.Theme(t, "mono", "unicode")
	lines, _ := shot(t, s, 200, 60, th)
	if n := strings.Count(viewtest.Plain(lines)[58], "!"); n < 50 {
		t.Errorf("%d marks", n)
	}
}

func manyPoints() *snapshot.Snapshot {
	s := viewtest.Replayed(viewtest.Normal())
	s.Replay.Interests = nil
	for i := range 10_000 {
		s.Replay.Interests = append(s.Replay.Interests, snapshot.Interest{Kind: snapshot.InterestFlow, Event: uint64(i), At: s.Replay.From.Add(time.Duration(i) * 120 * time.Millisecond)})
	}
	return s
}

func BenchmarkBar(b *testing.B) {
	s, th := manyPoints(), viewtest.Theme(b, "mono", "unicode")
	f, c := views.NewFramer(), views.Chrome{W: 120, H: 36, Snap: s, Now: s.At, Theme: th, Keys: viewtest.Keys(b), Dock: transport.New(), DockLines: 3}
	b.ReportAllocs()
	for b.Loop() {
		f.Frame(c, views.Out{})
	}
}
