package page

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
	"mqscope/engine/recording"
	"mqscope/engine/replay"
	"mqscope/engine/replay/replaytest"
	"mqscope/engine/snapshot"
)

//nolint:gochecknoglobals // a test flag has to be registered before flags are parsed
var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// track is one whose pictures follow from where it stands.
type track struct {
	*replaytest.Track
	picture func(event uint64, at time.Time) *snapshot.Snapshot
	looks   int
}

func (t *track) Picture() *snapshot.Snapshot {
	t.looks++
	return t.picture(t.Event(), t.Track.At())
}

func queue(id int32, owner string, committed, next, max int64, at time.Time) snapshot.Queue {
	q := snapshot.Queue{
		ID: mq.MessageQueue{Topic: "orders", BrokerName: "broker-a", QueueID: id}, State: snapshot.Pulling,
		Owner: snapshot.Of(owner, at), Committed: snapshot.Of(committed, at), Next: snapshot.Of(next, at), Max: snapshot.Of(max, at),
		Min: snapshot.Of(int64(0), at), Lag: snapshot.Of(max-committed, at), Count: snapshot.NA[int](),
		InRate: snapshot.UnknownBecause[float64]("not read yet"), OutRate: snapshot.Of(12.5, at),
	}
	if owner == "" {
		q.Owner = snapshot.UnknownBecause[string]("nobody \"pulls\" it")
	}
	return q
}

// group is a consumer group whose second queue goes from one member to another at event 50.
func group(n int) *track {
	t := &track{Track: replaytest.Every(n, 100*time.Millisecond).Interest(snapshot.InterestRebalance, 50).Interest(snapshot.InterestError, 80)}
	t.Header.Cluster, t.Header.Bodies, t.Header.Secrets = "prod", "first 256 B", "removed"
	t.picture = func(event uint64, at time.Time) *snapshot.Snapshot {
		second, e := "10.0.0.1@1", int64(event)
		if event >= 50 {
			second = "10.0.0.2@7"
		}
		s := &snapshot.Snapshot{At: at, Replay: snapshot.Replay{Known: true}}
		s.Group = snapshot.Group{Name: "billing", ClientID: "10.0.0.1@1", Strategy: "AVG", Subscriptions: []snapshot.Subscription{{Topic: "orders", Expression: "PAID"}}}
		s.Queues = []snapshot.Queue{queue(0, "10.0.0.1@1", 10+e, 12+e, 1000, at), queue(1, second, 20, 20, 20+2*e, at), queue(2, "", 0, 0, 0, at)}
		s.Members, s.MembersKnown = []snapshot.Member{{ID: "10.0.0.1@1"}}, snapshot.Of(1, at)
		if event >= 50 {
			s.Members = append(s.Members, snapshot.Member{ID: "10.0.0.2@7"})
			s.Rebalances = []snapshot.Rebalance{{
				At: replaytest.Start().Add(4900 * time.Millisecond), Topic: "orders", Why: "members changed", Members: []string{"10.0.0.1@1", "10.0.0.2@7"},
				Queues: []mq.MessageQueue{s.Queues[0].ID, s.Queues[1].ID}, Before: []string{"10.0.0.1@1", "10.0.0.1@1"}, After: []string{"10.0.0.1@1", "10.0.0.2@7"},
			}}
		}
		return s
	}
	return t
}

func render(t testing.TB, tr replay.Track, span Span, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(t.Context(), &b, tr, span, o); err != nil {
		t.Fatal(err)
	}
	check(t, b.String())
	return b.String()
}

// check reads a page strictly: only markup that this package writes, nothing that loads, links
// away or acts, no character that does not show.
func check(t testing.TB, page string) {
	t.Helper()
	tag := regexp.MustCompile(`^</?[a-z0-9]+( [a-zA-Z-]+(="[^"<>]*")?)*/?>`)
	attr := regexp.MustCompile(` ([a-zA-Z-]+)(?:="([^"]*)")?`)
	known := map[string]bool{}
	for n := range strings.FieldsSeq("html head meta title style body header h1 h2 p dl div dt dd ul ol li b i span small a svg rect path text table thead tbody tr th td label input select option script footer") {
		known[n] = true
	}
	rest, ok := strings.CutPrefix(page, "<!DOCTYPE html>\n")
	if !ok {
		t.Fatal("no document type")
	}
	rest = strings.Replace(strings.Replace(rest, script, "", 1), style, "", 1)
	open := map[string]int{}
	for rest != "" {
		at := strings.IndexAny(rest, "<>")
		if at < 0 {
			break
		}
		rest = rest[at:]
		m := tag.FindString(rest)
		if m == "" {
			t.Fatalf("no tag of ours: %.100q", rest)
		}
		name := strings.Trim(strings.FieldsFunc(m, func(r rune) bool { return strings.ContainsRune("</> ", r) })[0], "/")
		if !known[name] {
			t.Fatalf("the tag %q", m)
		}
		if strings.HasPrefix(m, "</") {
			open[name]--
		} else if !strings.HasSuffix(m, "/>") {
			open[name]++
		}
		for _, a := range attr.FindAllStringSubmatch(m, -1) {
			switch n, v := a[1], a[2]; {
			case strings.HasPrefix(n, "on"), n == "style", n == "src", n == "srcset", n == "action", n == "xmlns", n == "target":
				t.Fatalf("the attribute %s in %q", n, m)
			case n == "href" && !strings.HasPrefix(v, "#"):
				t.Fatalf("a link away: %q", m)
			}
		}
		rest = rest[len(m):]
	}
	for name, n := range open {
		if n != 0 && !strings.Contains(" meta th option input li ", " "+name+" ") {
			t.Errorf("%d of <%s> are not closed", n, name)
		}
	}
	for _, bad := range []string{"@import", "url(", "<iframe", "javascript:"} {
		if strings.Contains(strings.ToLower(page), bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	for _, r := range html.UnescapeString(page) {
		if r != '\n' && (r < 0x20 || r == 0x7f || hidden(r)) {
			t.Fatalf("%U is in the page", r)
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
}

func TestAPageTellsWhatHappened(t *testing.T) {
	got := render(t, group(100), Span{From: 20}, Options{File: "a.mqrec", Program: "mqscope test", Bookmarks: []snapshot.Bookmark{
		{Number: 2, Event: 60, At: replaytest.Start().Add(5900 * time.Millisecond), Note: "here it begins"}, {Number: 3, Event: 5, Note: "before the span"},
	}, Samples: 10})
	for _, want := range []string{
		"<title>Consumer group billing, 2026-01-31 12:00:01.900 +00:00</title>", "80 events, numbered from #21 to #100; the recording goes to #100", "mqscope&#39;s own consumer",
		"1 queue changed hands, 1 time in all", "offsets committed: +80 over 3 queues", "members: 1 at the beginning, 2 at the end", "was 10.0.0.1@1",
		"here it begins", "orders (PAID)", "broker-a/1: A to B", "members changed", `<a href="#e50">#50</a>`, `id="e50"`, "first 256 B",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	for _, not := range []string{"before the span", "not listed", "Inferred from the wire", "http:", "https:", `id="e20"`} {
		if strings.Contains(got, not) {
			t.Errorf("%q is on the page", not)
		}
	}
	path := filepath.Join("testdata", "small.html")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("read what -update writes (-want +got):\n%s", diff)
	}
}

func TestWhatIsSaidOfTheRecording(t *testing.T) {
	tr := group(100)
	tr.Damage = &recording.Damage{Offset: 4711, Reason: "a block of <b>nothing</b>"}
	tr.Header.Source = "proxy"
	inner := tr.picture
	tr.picture = func(event uint64, at time.Time) *snapshot.Snapshot {
		s := inner(event, at)
		s.Replay.Inferred, s.Replay.Departed = true, "event 7 & on"
		return s
	}
	got := render(t, tr, Span{}, Options{})
	for _, want := range []string{"Inferred from the wire: ", "a proxy&#39;s traffic", "all of the group", "&lt;b&gt;nothing&lt;/b&gt;", "event 7 &amp; on"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
}

func hostile() []string {
	return []string{
		"</script><script>alert(1)</script>", "<!--", "]]>", `" onmouseover="alert(1)`, "'>", "&lt;", "</title></style>", "\x00\x1b[31m\r\n\t\x7f", "\u202eabc\u2066", "\xff\xfe\x80",
		"\u009b31m", "e" + strings.Repeat("\u0301", 50), "\U000e0041\u200b\ufeff", "订单", "javascript:alert(1)x", "url(x)", strings.Repeat("长", 5000), "\ufffd",
	}
}

func TestNoNameIsMarkup(t *testing.T) {
	for _, name := range hostile() {
		if strings.Contains(name, "javascript:") || strings.Contains(name, "url(") {
			name = strings.NewReplacer(":", "", "(", "").Replace(name) // as text they are harmless, but check looks for them
		}
		tr := group(100)
		tr.Header = recording.Header{Program: name, Source: name, Cluster: name, Group: name, Bodies: name, Secrets: name, Created: replaytest.Start()}
		for i := range tr.All {
			m := &tr.All[i]
			m.Kind, m.Where, m.Words, m.Client, m.Group = name, name, name, name, name
			m.Queue.Topic, m.Queue.BrokerName = name, name
			if i%2 == 0 {
				m.Queue = mq.MessageQueue{}
			}
		}
		inner := tr.picture
		tr.picture = func(event uint64, at time.Time) *snapshot.Snapshot {
			s := inner(event, at)
			s.Group.Name, s.Group.ClientID, s.Group.Strategy = name, name, name
			s.Group.Subscriptions = []snapshot.Subscription{{Topic: name, Expression: name}}
			s.Members[0].ID = name
			s.Replay.Client, s.Replay.Departed = name, name
			for i := range s.Queues {
				q := &s.Queues[i]
				q.ID.Topic, q.ID.BrokerName, q.Note, q.Flow.Cause = name, name, name, snapshot.Cause(name)
				q.Owner.V, q.Owner.Reason, q.InRate.Reason = name, name, name
			}
			for i := range s.Rebalances {
				r := &s.Rebalances[i]
				r.Topic, r.Why, r.Before, r.After = name, name, []string{name, name}, []string{"", name + "2"}
			}
			return s
		}
		render(t, tr, Span{From: 45, To: 55}, Options{File: name, Program: name, Samples: 10, Bookmarks: []snapshot.Bookmark{{Number: 1, Event: 50, Note: name}}})
	}
}

func TestListsAreBoundedAndSaySo(t *testing.T) {
	tr := group(1000)
	inner := tr.picture
	tr.picture = func(event uint64, at time.Time) *snapshot.Snapshot {
		s := inner(event, at)
		for i := range int32(50) {
			s.Queues = append(s.Queues, queue(10+i, "10.0.0.1@1", 0, 0, int64(i), at))
		}
		return s
	}
	tr.Interest(snapshot.InterestFlow, 900, 901, 902)
	got := render(t, tr, Span{}, Options{Events: 8, Queues: 5, Lanes: 3, Samples: 7})
	if n := strings.Count(got, `<tr id="e`); n != 10 {
		t.Errorf("%d events are listed", n)
	}
	for _, want := range []string{"10 of 1,000 events are listed", "pull.found 990", "5 of 53 queues are shown", "50 queues more are not drawn", `id="e50"`, `id="e80"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if strings.Contains(got, `href="#e900"`) {
		t.Error("a link to an event that is not listed")
	}
	if tr.looks > 20 {
		t.Errorf("%d pictures for 7 samples", tr.looks)
	}
}

func TestEverySampleIsOnce(t *testing.T) {
	tr := group(100)
	s, err := gather(t.Context(), tr, Span{}, Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range s.lanes.list {
		if len(n.owner) != len(s.lanes.at) || len(n.lag) != len(s.lanes.at) {
			t.Errorf("%v: %d owners for %d samples", n.id, len(n.owner), len(s.lanes.at))
		}
	}
	second := s.lanes.list[1]
	for i, at := range s.lanes.at {
		want := "10.0.0.1@1"
		if !at.Before(replaytest.Start().Add(4900 * time.Millisecond)) {
			want = "10.0.0.2@7"
		}
		if got := s.lanes.owners[second.owner[i]]; got != want {
			t.Errorf("at %v it is %s's", at, got)
		}
	}
}

func TestASpanMustHaveSomething(t *testing.T) {
	for _, c := range []struct {
		n    int
		span Span
		want string
	}{{0, Span{}, "no events"}, {10, Span{From: 10}, "behind its beginning"}, {10, Span{From: 5, To: 5}, "behind its beginning"}, {10, Span{From: 9, To: 90}, ""}} {
		err := Write(t.Context(), io.Discard, group(c.n), c.span, Options{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v of %d: %v", c.span, c.n, err)
		}
	}
}

func TestNoRecordingIsToo(t *testing.T) {
	for name, change := range map[string]func(*track){
		"all at once":       func(tr *track) { same(tr, 0) },
		"time running back": func(tr *track) { same(tr, -time.Hour) },
		"years":             func(tr *track) { same(tr, 300*24*time.Hour) },
		"one event":         func(tr *track) { tr.All = tr.All[:1] },
		"nothing in picture": func(tr *track) {
			tr.picture = func(uint64, time.Time) *snapshot.Snapshot { return &snapshot.Snapshot{} }
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := group(100)
			change(tr)
			if got := render(t, tr, Span{}, Options{}); strings.Contains(got, "NaN") || strings.Contains(got, "Inf") {
				t.Error("a number that is none")
			}
		})
	}
}

func same(tr *track, step time.Duration) {
	for i := range tr.All {
		tr.All[i].At = replaytest.Start().Add(time.Duration(i) * step)
	}
}

func TestAWriterThatFails(t *testing.T) {
	full := fmt.Errorf("no space")
	if err := Write(t.Context(), failing{full}, group(100), Span{}, Options{}); err != full {
		t.Errorf("%v", err)
	}
	over, end := context.WithCancel(t.Context())
	end()
	if err := Write(over, io.Discard, group(100), Span{}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	broken := group(100)
	broken.Fail = full
	if err := Write(t.Context(), io.Discard, broken, Span{}, Options{}); err != full {
		t.Errorf("%v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzVisible(f *testing.F) {
	for _, s := range hostile() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := escPlain(s)
		if strings.ContainsAny(out, `<>"'`) {
			t.Fatalf("%q", out)
		}
		for _, r := range html.UnescapeString(out) {
			if r < 0x20 || r == 0x7f || hidden(r) {
				t.Fatalf("%U in %q", r, out)
			}
		}
	})
}

func BenchmarkPage100000(b *testing.B) {
	tr := group(100_000)
	var n countWriter
	for b.Loop() {
		n = 0
		if err := Write(b.Context(), &n, tr, Span{}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n), "bytes")
}

type countWriter int

func (c *countWriter) Write(p []byte) (int, error) {
	*c += countWriter(len(p))
	return len(p), nil
}

// TestWhatMovesAtOnceIsDrawnAtOnce: two queues that move within a moment both do so on the page,
// also when nothing happens for long behind that.
func TestWhatMovesAtOnceIsDrawnAtOnce(t *testing.T) {
	tr := group(100)
	tr.Interest(snapshot.InterestRebalance, 51)
	for i := range tr.All {
		m := &tr.All[i]
		if m.At = replaytest.Start().Add(time.Duration(i) * time.Second); m.Event > 50 {
			m.At = m.At.Add(time.Hour)
		}
	}
	tr.All[50].At = tr.All[49].At.Add(time.Millisecond)
	inner := tr.picture
	tr.picture = func(event uint64, at time.Time) *snapshot.Snapshot {
		s := inner(event, at)
		if event >= 51 {
			s.Queues[0].Owner.V = "10.0.0.2@7"
		}
		return s
	}
	s, err := gather(t.Context(), tr, Span{}, Options{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range s.lanes.list[:2] {
		for i, at := range s.lanes.at {
			if moved := s.lanes.owners[n.owner[i]] == "10.0.0.2@7"; moved != (at.After(tr.All[50].At) || at.Equal(tr.All[50].At) || n.id.QueueID == 1 && at.Equal(tr.All[49].At)) {
				t.Errorf("queue %d at %v: %v", n.id.QueueID, at, moved)
			}
		}
	}
	if !slices.ContainsFunc(s.lanes.at, tr.All[50].At.Equal) {
		t.Error("no picture of the second move")
	}
}
