package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"mqscope/engine/replay"
	"mqscope/engine/replay/replaytest"
	"mqscope/views/viewtest"
)

// exports are the flags of a call.
func exports(t *testing.T, args ...string) *exportFlags {
	t.Helper()
	var e exportFlags
	fs := pflag.NewFlagSet("replay", pflag.ContinueOnError)
	e.add(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return &e
}

func TestAPageIsWrittenOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.html")
	track := replaytest.Every(100, 100*time.Millisecond)
	marks := replay.NewBookmarks()
	marks.Mark(0, 40, replaytest.Start(), "here")
	var out bytes.Buffer
	e := exports(t, "--export-html", path, "--from", "#20", "--to", "+5s")
	if err := e.check(false); err != nil {
		t.Fatal(err)
	}
	if err := e.page(t.Context(), &out, "some/where/a.mqrec", track, marks); err != nil {
		t.Fatal(err)
	}
	containsAll(t, "what is said", out.String(), "out.html: events #20 to #51, ", "KiB")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	containsAll(t, "the page", string(b), `id="e20"`, `id="e51"`, ">a.mqrec<", "here", "32 events, numbered from #20 to #51")
	if strings.Contains(string(b), `id="e19"`) || strings.Contains(string(b), `id="e52"`) {
		t.Error("events outside of the span are on the page")
	}
	err = e.page(t.Context(), &out, "a.mqrec", track, nil)
	if _, mistake := errors.AsType[usageError](err); !mistake || !strings.Contains(err.Error(), "--force") {
		t.Errorf("over what is there: %v", err)
	}
	e.force = true
	if err := e.page(t.Context(), &out, "a.mqrec", track, nil); err != nil {
		t.Error(err)
	}
}

// TestWhatACaptureHeldIsTakenAlong is the way of a person: a capture is imported, and goes out as a
// page and as a table.
func TestWhatACaptureHeldIsTakenAlong(t *testing.T) {
	dir := t.TempDir()
	file, html := filepath.Join(dir, "a.mqrec"), filepath.Join(dir, "a.html")
	if r := mqscope(t, "import", "../../testdata/captures/push-concurrent.pcap", "-o", file); r.code != exitOK {
		t.Fatalf("%+v", r)
	}
	r := mqscope(t, "replay", file, "--export-html", html, "--from", "+10s", "--to", "+25s")
	if r.code != exitOK || !strings.Contains(r.out, "a.html: events #") || r.err != "" {
		t.Fatalf("%+v", r)
	}
	b, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	containsAll(t, "the page", string(b), "Consumer group g_push", "Inferred from the wire", "orders/broker-a/3", "B from ")
	r = mqscope(t, "replay", file, "--headless", "--at", "+15s", "--table", "queues")
	rows, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	if err != nil || len(rows) != 6 || rows[0][1] != "topic" || rows[4][4] == rows[2][4] {
		t.Errorf("%q, %v", rows, err)
	}
	r = mqscope(t, "replay", file, "--table", "queues")
	if r.code != exitUsage || !strings.Contains(r.err, "--headless") {
		t.Errorf("%+v", r)
	}
}

func TestFlagsOfExportsThatDoNotFit(t *testing.T) {
	for _, c := range []struct {
		args     []string
		headless bool
		want     string
	}{
		{[]string{"--from", "#1"}, false, "add --export-html"}, {[]string{"--export-html", "x"}, true, "both replace the screen"},
		{[]string{"--table", "queues"}, false, "with --headless only"}, {[]string{"--filter", "x"}, true, "add --table"}, {[]string{"--raw"}, true, "add --table"},
		{[]string{"--table", "topics", "--filter", "x"}, true, "can be filtered"}, {[]string{"--table", "events", "--filter", "x"}, true, ""}, {nil, false, ""},
	} {
		err := exports(t, c.args...).check(c.headless)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	track := replaytest.Every(100, 100*time.Millisecond)
	for _, c := range []struct{ from, to, want string }{
		{"#50", "#40", `--to "#40" is not behind --from "#50"`}, {"#500", "", "there is no event 500"}, {"", "13:00", `--to "13:00"`},
	} {
		e := &exportFlags{html: filepath.Join(t.TempDir(), "x"), from: c.from, to: c.to}
		if err := e.page(t.Context(), &bytes.Buffer{}, "a", track, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
	var e exportFlags
	fs := pflag.NewFlagSet("replay", pflag.ContinueOnError)
	e.add(fs)
	for _, args := range [][]string{{"--table", "fish"}, {"--format", "xml"}, {"--from", "soon"}, {"--export-html", " "}} {
		if err := fs.Parse(args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

func TestTablesOfASnapshot(t *testing.T) {
	s := viewtest.Normal()
	for _, name := range tableNames() {
		var out bytes.Buffer
		e := exports(t, "--table", name, "--format", "json")
		err := e.print(&out, s)
		if name == "locks" || name == "tasks" { // a concurrent consumer, without its schedule
			if err == nil || !strings.Contains(err.Error(), "no table of "+name) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !json.Valid(out.Bytes()) || !strings.Contains(out.String(), `"rows":[`) {
			t.Errorf("%s: %v, %s", name, err, out.String())
		}
	}
	var out bytes.Buffer
	if err := exports(t, "--table", "queues", "--filter", "mark:bad").print(&out, s); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) < 2 || rows[0][0] != "mark" {
		t.Fatalf("%q, %v", rows, err)
	}
	for _, r := range rows[1:] {
		if r[0] != "bad" {
			t.Errorf("%q passes", r)
		}
	}
}
