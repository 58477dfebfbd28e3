package redact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/consumer"
	"mqscope/engine/internal/pack"
	"mqscope/engine/protocol"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
	"mqscope/engine/replay"
	"mqscope/engine/replay/inferred"
)

const planted = "hunter2"

func start() time.Time { return time.Unix(1700000000, 0).UTC() }

// recordAll writes a recording and returns its path.
func recordAll(t *testing.T, h recording.Header, fn func(w *recording.Writer)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.mqrec")
	w, err := recording.Create(path, h, recording.Options{QueueBytes: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), w, func() error { fn(w); return nil }); err != nil {
		t.Fatal(err)
	}
	return path
}

func openAt(t *testing.T, path string) *recording.Reader {
	t.Helper()
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// entries reads all records of a file.
func entries(t *testing.T, path string) (all []recording.Entry) {
	t.Helper()
	r := openAt(t, path)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		e.Payload = bytes.Clone(e.Payload)
		all = append(all, e)
	}
}

// fromTheWire is a recording of what was inferred, with secrets in the texts of some events, and so
// many groups that checkpoints are in parts.
func fromTheWire(t *testing.T) string {
	h := inferred.Header(recording.Header{
		Program: "mqscope test", Created: start(), Source: "capture", Cluster: "token=" + planted,
		Meta: map[string]string{"capture": "x.pcap", "apiKey": planted},
	})
	return recordAll(t, h, func(w *recording.Writer) {
		r := inferred.NewRecorder(w, inferred.RecorderOptions{Apart: 64 << 10})
		for n := range 6000 {
			at := start().Add(time.Duration(n) * time.Millisecond)
			group := fmt.Sprintf("group-%d", n/2)
			r.Add(infer.Event{At: at, Fact: infer.MemberSeen{
				Client: fmt.Sprintf("client-%d", n), Group: group, New: true,
				Subscriptions: []protocol.SubscriptionData{{Topic: strings.Repeat("T", 200) + fmt.Sprint(n), SubString: "*"}},
			}})
			r.Add(infer.Event{At: at, Fact: infer.Failed{Client: "c", Code: 1, Remark: "accessKey=" + planted + " is wrong"}})
		}
	})
}

func TestARecordingFromTheWireIsRedacted(t *testing.T) {
	path := fromTheWire(t)
	out := filepath.Join(t.TempDir(), "out.mqrec")
	rep, err := File(t.Context(), openAt(t, path), out, policy.Policy{}, false)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Secrets < 6000 || rep.Properties != 1 || rep.Bodies != 0 || !rep.Left.Nothing() || rep.Behind != "" {
		t.Errorf("%+v", rep)
	}
	before, after := entries(t, path), entries(t, out)
	if len(before) != len(after) || rep.Records != uint64(len(after)) {
		t.Fatalf("%d records became %d", len(before), len(after))
	}
	parts := 0
	for i, e := range after {
		if b := before[i]; b.Number != e.Number || b.Kind != e.Kind || !b.At.Equal(e.At) || b.Checkpoint != e.Checkpoint {
			t.Fatalf("record %d: %+v became %+v", i, b.Record, e.Record)
		}
		if bytes.Contains(e.Payload, []byte(planted)) {
			t.Fatalf("record %d still has it", i)
		}
		if e.Kind == 3 {
			parts++
		}
	}
	if parts == 0 {
		t.Error("no checkpoint was in parts: this is no test of them")
	}
	h := openAt(t, out).Header()
	if h.Meta["redacted"] != "1" || h.Bodies != "none" || strings.Contains(fmt.Sprint(h.Cluster, h.Meta["apiKey"]), planted) || h.Meta["capture"] != "x.pcap" {
		t.Errorf("%+v", h)
	}
	one, two := play(t, path), play(t, out)
	if one != two {
		t.Errorf("it plays as %s, before it was %s", two, one)
	}
	if v, err := openAt(t, out).Verify(t.Context()); err != nil || !v.Whole() {
		t.Errorf("%+v, %v", v, err)
	}
	info, err := os.Stat(out)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
}

// play goes to some places of a recording, by its checkpoints, and says what is known there.
func play(t *testing.T, path string) (said string) {
	t.Helper()
	tr, err := inferred.Open(openAt(t, path), replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	total := tr.Info().Total
	for _, n := range []uint64{total, total / 2, 1, total - 1} {
		if err := tr.Seek(n); err != nil {
			t.Fatal(err)
		}
		s := tr.(*inferred.Track).State()
		said += fmt.Sprint(tr.Event(), tr.At(), s.Seq, len(s.Groups), "; ")
	}
	return said
}

// taken is as the engine's records of kind 2 are called; its fields are not.
type taken struct {
	Body   []byte            `pack:"body"`
	Text   string            `pack:"text"`
	Fields map[string]string `pack:"properties"`
	Props  string            `pack:"properties"`
	Plain  map[string]string
	Err    error
	Hash   []byte
}

func aTaken() *taken {
	return &taken{
		Body: []byte(strings.Repeat(planted, 100)), Text: "Signature=" + planted, Err: errors.New("bearer " + planted + planted),
		Fields: map[string]string{"card": planted, "KEYS": "k", "token": planted}, Props: "password\x01" + planted + "\x02TAGS\x01t\x02",
		Plain: map[string]string{"SecurityToken": planted, "x": "y"}, Hash: []byte{1, 2},
	}
}

func fromTheEngine(t *testing.T, more ...recording.Record) string {
	c := pack.New()
	types := strings.ReplaceAll(c.Describe(taken{}), "engine/recording/redact.taken", "engine/consumer.taken")
	return recordAll(t, recording.Header{Source: "engine", First: 7, Bodies: "full"}, func(w *recording.Writer) {
		w.Append(recording.Record{Kind: 1, At: start(), Payload: []byte(types)})
		for range 3 {
			w.Append(recording.Record{Kind: 2, At: start(), Payload: c.Append(nil, aTaken())})
		}
		for _, r := range more {
			w.Append(r)
		}
	})
}

func TestFieldsAreRedactedAsTheyAreTagged(t *testing.T) {
	path := fromTheEngine(t)
	out := filepath.Join(t.TempDir(), "out.mqrec")
	p := policy.Policy{Bodies: 10, Deny: []string{"CARD*"}}
	rep, err := File(t.Context(), openAt(t, path), out, p, false)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Counts{Bodies: 3, Properties: 3 * 4, Secrets: 3 * 2}); rep.Counts != want || !rep.Left.Nothing() {
		t.Errorf("%+v, want %+v", rep, want)
	}
	all := entries(t, out)
	if len(all) != 4 || all[0].Number != 7 {
		t.Fatalf("%d records from %d", len(all), all[0].Number)
	}
	var got taken
	if _, err := pack.New().Decode(all[3].Payload, &got); err != nil {
		t.Fatal(err)
	}
	body := policy.ReadKept(got.Body)
	if string(body.Bytes) != (planted + planted)[:10] || body.Len != 700 {
		t.Errorf("body %+v", body)
	}
	got.Body = nil
	if s := fmt.Sprint(got); s != "{[] Signature=[removed] map[KEYS:k] TAGS\x01t\x02 map[x:y] bearer [removed] [1 2]}" {
		t.Error(s)
	}
	if h := openAt(t, out).Header(); h.Bodies != "first 10 bytes" || !strings.Contains(h.Secrets, "CARD*") {
		t.Errorf("%+v", h)
	}
}

func TestTheFileThatIsReadCanBeReplaced(t *testing.T) {
	path := fromTheEngine(t)
	if _, err := File(t.Context(), openAt(t, path), path, policy.Policy{}, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v", err)
	}
	rep, err := File(t.Context(), openAt(t, path), path, policy.Policy{Bodies: policy.Hash}, true)
	if err != nil || rep.Nothing() {
		t.Fatal(rep, err)
	}
	again, err := File(t.Context(), openAt(t, path), path, policy.Policy{Bodies: policy.Full}, true)
	if err != nil || !again.Nothing() {
		t.Errorf("the second time: %+v, %v", again, err)
	}
	if h := openAt(t, path).Header(); h.Bodies != "hash" {
		t.Errorf("bodies are %q", h.Bodies)
	}
}

func TestMoreThanAWriterHoldsIsRedacted(t *testing.T) {
	c := pack.New()
	one := aTaken()
	one.Body = make([]byte, 4<<20)
	var more []recording.Record
	for range 10 {
		more = append(more, recording.Record{Kind: 2, At: start(), Payload: c.Append(nil, one)})
	}
	path := fromTheEngine(t, more...)
	out := filepath.Join(t.TempDir(), "out.mqrec")
	rep, err := File(t.Context(), openAt(t, path), out, policy.Policy{Bodies: policy.Full}, false)
	if err != nil || rep.Records != 14 {
		t.Errorf("%+v, %v", rep, err)
	}
}

func TestWhatCanNotBeRedacted(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	link := filepath.Join(t.TempDir(), "link.mqrec")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}
	wire := inferred.Header(recording.Header{Source: "proxy"})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, one := range []struct {
		name, path, out, want string
		ctx                   context.Context
		policy                policy.Policy
	}{
		{name: "another source", path: recordAll(t, recording.Header{Source: "weather"}, func(*recording.Writer) {}), want: "weather"},
		{name: "a kind that is not known", path: fromTheEngine(t, recording.Record{Kind: 99, At: start()}), want: "record 11: it is of kind 99"},
		{name: "bytes that are none", path: fromTheEngine(t, recording.Record{Kind: 2, At: start(), Payload: []byte{0xff}}), want: "engine/consumer.taken"},
		{name: "more bytes", path: fromTheEngine(t, recording.Record{Kind: 2, At: start(), Payload: append(pack.New().Append(nil, &taken{}), 1)}), want: "1 bytes too many"},
		{name: "no description", path: recordAll(t, recording.Header{Source: "capture"}, func(*recording.Writer) {}), want: "does not describe"},
		{name: "no description of the engine", path: recordAll(t, recording.Header{Source: "engine"}, func(w *recording.Writer) {
			w.Append(recording.Record{Kind: 2, At: start()})
		}), want: "does not describe"},
		{name: "a part without a first one", path: recordAll(t, wire, func(w *recording.Writer) {
			w.Append(recording.Record{Kind: 3, At: start(), Payload: []byte{0}})
		}), want: "not in order"},
		{name: "a link", path: fromTheEngine(t), out: link, want: "no regular file"},
		{name: "a pattern", path: fromTheEngine(t), policy: policy.Policy{Deny: []string{"["}}, want: "pattern"},
		{name: "an end", path: fromTheEngine(t), ctx: cancelled, want: "canceled"},
	} {
		ctx, out := one.ctx, one.out
		if ctx == nil {
			ctx = t.Context()
		}
		dir := t.TempDir()
		if out == "" {
			out = filepath.Join(dir, "out.mqrec")
		}
		_, err := File(ctx, openAt(t, one.path), out, one.policy, true)
		if err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: %v", one.name, err)
		}
		if left, _ := os.ReadDir(filepath.Dir(out)); len(left) > 0 && one.out == "" {
			t.Errorf("%s: left is %v", one.name, left)
		}
	}
	if _, err := os.Lstat(elsewhere); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the link was followed")
	}
}

func TestADamagedRecordingIsRedactedUpToTheDamage(t *testing.T) {
	path := fromTheWire(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 10), info.Size()/2); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.mqrec")
	rep, err := File(t.Context(), openAt(t, path), out, policy.Policy{}, false)
	if err != nil || rep.Behind == "" || rep.Records == 0 || uint64(len(entries(t, out))) != rep.Records {
		t.Errorf("%+v, %v", rep, err)
	}
}

// Where a type gets another name, layoutOf has to know.
func TestTypesOfRecordsHaveTheirNames(t *testing.T) {
	for source, types := range map[string]string{
		"engine": consumer.Types(), "capture": inferred.Header(recording.Header{}).Meta["shapes"],
	} {
		l, err := layoutOf(recording.Header{Source: source})
		if err != nil {
			t.Fatal(err)
		}
		roots := append(slices.Collect(maps.Values(l.roots)), slices.Collect(maps.Values(l.packed))...)
		if l.whole != "" {
			roots = append(roots, l.whole)
		}
		for _, root := range roots {
			if !strings.Contains(types, fmt.Sprintf(" %q ", root)) {
				t.Errorf("recordings of %s do not describe a %s", source, root)
			}
		}
	}
}

func TestACutRecordingIsRedactedUpToTheCut(t *testing.T) {
	path := fromTheWire(t)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()*2/3); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.mqrec")
	rep, err := File(t.Context(), openAt(t, path), out, policy.Policy{}, false)
	if err != nil || !strings.Contains(rep.Behind, "cut at byte") || rep.Records == 0 {
		t.Errorf("%+v, %v", rep, err)
	}
	play(t, out)
}

func BenchmarkRedact(b *testing.B) {
	c := pack.New()
	types := strings.ReplaceAll(c.Describe(taken{}), "engine/recording/redact.taken", "engine/consumer.taken")
	r := &redactor{}
	r.layout, _ = layoutOf(recording.Header{Source: "engine"})
	if err := r.describe(types); err != nil {
		b.Fatal(err)
	}
	e := recording.Entry{Record: recording.Record{Kind: 2, Payload: c.Append(nil, aTaken())}}
	b.SetBytes(int64(len(e.Payload)))
	for b.Loop() {
		if _, err := r.record(e); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzPayload(f *testing.F) {
	c := pack.New()
	f.Add(c.Append(nil, aTaken()), true)
	f.Add([]byte{1, 0}, false)
	types := strings.ReplaceAll(c.Describe(taken{}), "engine/recording/redact.taken", "engine/consumer.taken")
	wire, err := c.Adapt(strings.ReplaceAll(types, "engine/consumer.taken", "engine/replay/inferred.checkpoint"))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte, engine bool) {
		l, _ := layoutOf(recording.Header{Source: "capture"})
		kinds := []uint16{1, 2, 3}
		r := &redactor{layout: l, codec: wire}
		if engine {
			r.layout, _ = layoutOf(recording.Header{Source: "engine"})
			if err := r.describe(types); err != nil {
				t.Fatal(err)
			}
			kinds = []uint16{1, 2, 5}
		}
		for _, k := range kinds {
			_, _ = r.record(recording.Entry{Record: recording.Record{Kind: k, Payload: payload}})
		}
	})
}
