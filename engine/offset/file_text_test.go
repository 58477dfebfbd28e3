package offset

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

// javaTable is a file that Java's client wrote.
const javaTable = "{\n\t\"offsetTable\":{{\n\t\t\t\"brokerName\":\"brk-a\",\n\t\t\t\"queueId\":0,\n\t\t\t\"topic\":\"OrderEvt\"\n\t\t}:100,{\n\t\t\t\"brokerName\":\"机房-一\",\n\t\t\t\"queueId\":7,\n\t\t\t\"topic\":\"订单\\\"x\"\n\t\t}:9223372036854775807\n\t}\n}"

func TestFileIsWrittenAsJavaWritesIt(t *testing.T) {
	got, dropped, err := parseTable([]byte(javaTable))
	if err != nil || dropped != 0 {
		t.Fatalf("dropped %d, error %v", dropped, err)
	}
	want := table{
		{Topic: "OrderEvt", BrokerName: "brk-a"}:         100,
		{Topic: "订单\"x", BrokerName: "机房-一", QueueID: 7}: math.MaxInt64,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(javaTable, string(got.render())); diff != "" {
		t.Errorf("text (-Java +ours):\n%s", diff)
	}
}

func TestNamesWithBracketsAndQuotesKeepTheLayout(t *testing.T) {
	want := table{
		{Topic: `a{b},"c":\`, BrokerName: "[x]{{\n\t"}: 1,
		{Topic: "plain", BrokerName: "b"}:              2,
	}
	text := want.render()
	got, _, err := parseTable(text)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestFileCutAtAnyByteIsDamaged(t *testing.T) {
	for n := range len(javaTable) {
		if got, _, err := parseTable([]byte(javaTable[:n])); err == nil {
			t.Errorf("the first %d bytes were taken for %v", n, got)
		}
		nul := append([]byte(javaTable[:n]), make([]byte, len(javaTable)-n)...)
		if got, _, err := parseTable(nul); err == nil {
			t.Errorf("%d bytes and NULs were taken for %v", n, got)
		}
	}
}

func TestParseTable(t *testing.T) {
	key := `{"brokerName":"b","queueId":0,"topic":"t"}`
	tests := []struct {
		name    string
		text    string
		want    int64 // of the queue, None when there is none
		dropped int
		wantErr string // part of it
	}{
		{name: "an object as key", text: `{"offsetTable":{` + key + `:12}}`, want: 12},
		{name: "a string as key", text: `{"offsetTable":{"{\"brokerName\":\"b\",\"queueId\":0,\"topic\":\"t\"}":12}}`, want: 12},
		{name: "an offset in quotes", text: `{"offsetTable":{` + key + `:"12"}}`, want: 12},
		{name: "members behind and before", text: `{"a":[{"b":"}"}],"offsetTable":{` + key + ` : 12 , },"c":{"d":null}}`, want: 12},
		{name: "the name in other letters", text: `{"OFFSETTABLE":{` + key + `:12}}`, want: 12},
		{name: "an empty table", text: `{"offsetTable":{}}`, want: None},
		{name: "no table", text: `{}`, want: None},
		{name: "a table that is null", text: `{"offsetTable":null}`, want: None},
		{name: "a negative offset", text: `{"offsetTable":{` + key + `:-1}}`, want: None, dropped: 1},
		{name: "nothing", text: "", wantErr: "empty"},
		{name: "blanks", text: " \n", wantErr: "empty"},
		{name: "NULs", text: strings.Repeat("\x00", 512), wantErr: "empty"},
		{name: "bytes that are no text", text: "{\"offsetTable\":{{\"topic\":\"\xff\"}:1}}", wantErr: "UTF-8"},
		{name: "other text", text: "garbage", wantErr: "word"},
		{name: "text behind the end", text: `{"offsetTable":{` + key + `:12}}}`, wantErr: "behind"},
		{name: "a list", text: `[]`, wantErr: "object"},
		{name: "null", text: `null`, wantErr: "object"},
		{name: "a table that is a list", text: `{"offsetTable":[1,2]}`, wantErr: "object"},
		{name: "a table that is a text", text: `{"offsetTable":"x"}`, wantErr: "object"},
		{name: "an empty offset", text: `{"offsetTable":{` + key + `:""}}`, wantErr: "stands where an offset should"},
		{name: "null as offset", text: `{"offsetTable":{` + key + `:null}}`, wantErr: "stands where an offset should"},
		{name: "the text null as offset", text: `{"offsetTable":{` + key + `:"null"}}`, wantErr: "stands where an offset should"},
		{name: "false as offset", text: `{"offsetTable":{` + key + `:false}}`, wantErr: "stands where an offset should"},
		{name: "a fraction as offset", text: `{"offsetTable":{` + key + `:0.5}}`, wantErr: "stands where an offset should"},
		{name: "a power as offset", text: `{"offsetTable":{` + key + `:1e3}}`, wantErr: "stands where an offset should"},
		{name: "an object as offset", text: `{"offsetTable":{` + key + `:{}}}`, wantErr: "int64"},
		{name: "a list as offset", text: `{"offsetTable":{` + key + `:[5]}}`, wantErr: "int64"},
		{name: "a text as offset", text: `{"offsetTable":{` + key + `:"five"}}`, wantErr: "int64"},
		{name: "an offset that is too large", text: `{"offsetTable":{` + key + `:9223372036854775808}}`, wantErr: "int64"},
		{name: "null as key", text: `{"offsetTable":{null:5}}`, wantErr: "without a queue"},
		{name: "a key that is no queue", text: `{"offsetTable":{"t-0":5}}`, wantErr: "queue"},
		{name: "a key with an id that is a text", text: `{"offsetTable":{{"queueId":"x","topic":"t"}:5}}`, wantErr: "int32"},
		{name: "a reference to elsewhere", text: `{"a":{` + key + `:""},"offsetTable":{"$ref":"$.a"}}`, wantErr: "offset"},
		{name: "a name of the table with an escape", text: `{"offset\u0054able":{` + key + `:12}}`, wantErr: "told apart"},
		{name: "brackets without end", text: `{"offsetTable":` + strings.Repeat("{", 10_000), wantErr: "deeper"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, dropped, err := parseTable([]byte(tt.text))
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("got %v and error %v, want one about %q", got, err, tt.wantErr)
				}
				return
			}
			want := table{}
			if tt.want != None {
				want[mq.MessageQueue{Topic: "t", BrokerName: "b"}] = tt.want
			}
			if err != nil || dropped != tt.dropped {
				t.Fatalf("dropped %d, want %d; error %v", dropped, tt.dropped, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzOffsetsFile reads any text: what is taken for a table is written so that it reads back
// the same, and a store that finds the text beside a good previous generation never starts
// from nothing.
func FuzzOffsetsFile(f *testing.F) {
	for _, v := range readVectors(f) {
		for _, text := range []*string{v.File, v.Bak} {
			if text != nil {
				f.Add([]byte(*text))
				f.Add([]byte((*text)[:len(*text)/2]))
			}
		}
	}
	f.Add([]byte(javaTable))
	f.Add([]byte(`{"offsetTable":{"{\"brokerName\":\"b\"}":"12",{'topic':'t'}:1,{}:-1},"offsettable":{}}`))
	f.Add([]byte(`{"a":{{"topic":"t"}:""},"offsetTable":{"$ref":"$.a"}}`))
	f.Add(make([]byte, 64))
	good := table{q(0): 7}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, _, err := parseTable(text)
		if err == nil {
			again, dropped, err := parseTable(got.render())
			if err != nil || dropped != 0 || !maps.Equal(got, again) {
				t.Fatalf("%v was written as %s and read as %v (dropped %d, error %v)", got, got.render(), again, dropped, err)
			}
			for q, at := range got {
				if at < 0 {
					t.Errorf("%v at %d", q, at)
				}
			}
		}
		dir := newMemoryDir()
		dir.put(mainName, text)
		dir.put(bakName, good.render())
		d := newDisk("dir", dir)
		loaded := d.Load(t.Context())
		want := got
		if err != nil {
			want = good
		}
		if len(loaded.Positions) != len(want) || loaded.Err != nil || (err != nil) != (len(loaded.Faults) > 0 && !maps.Equal(got, want)) {
			t.Errorf("loaded %+v, want %v", loaded, want)
		}
		w := Write{Seq: 1, Positions: []Position{{Queue: q(1), Offset: 3}}}
		if saved := d.Save(t.Context(), w); saved.Err != nil {
			t.Fatal(saved.Err)
		}
		for _, name := range []string{mainName, bakName} {
			after, _, err := parseTable(dir.get(name))
			next := want
			if name == mainName {
				next = want.with(w.Positions)
			}
			if err != nil || !maps.Equal(after, next) {
				t.Errorf("%s then has %v (error %v), want %v", name, after, err, next)
			}
		}
	})
}

func manyQueues(n int) table {
	t := make(table, n)
	for i := range n {
		t[mq.MessageQueue{Topic: "OrderEvt", BrokerName: fmt.Sprint("broker-", i/16), QueueID: int32(i % 16)}] = int64(i) * 1000
	}
	return t
}

// BenchmarkFileText reads and writes a file of 4,096 queues.
func BenchmarkFileText(b *testing.B) {
	text := manyQueues(4096).render()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		t, _, err := parseTable(text)
		if err != nil || !bytes.Equal(t.render(), text) {
			b.Fatal(err)
		}
	}
}
