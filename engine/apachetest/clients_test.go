package apachetest

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProducerLinesAreRead(t *testing.T) {
	const out = `{"event":"ack","at":1,"first":1,"step":4,"count":32,"broker":"broker-a","queue":1,"offset":7,"status":"SEND_OK"}
{"event":"done","at":2,"sent":32,"busy":2,"uncertain":3,"ms":1500}
`
	got, err := readSent([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	want := Sent{
		Acks:  []Ack{{Broker: "broker-a", Queue: 1, First: 1, Step: 4, Count: 32, Offset: 7, Status: "SEND_OK"}},
		Count: 32, Busy: 2, Uncertain: 3, Took: 1500 * time.Millisecond,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := readSent([]byte("Exception in thread\n")); err == nil {
		t.Error("a line that is not JSON was taken")
	}
}

func TestMemberLinesAreTakenIn(t *testing.T) {
	queues := make(chan []string, 2)
	j := &JavaConsumer{Queues: queues, queues: queues, changed: make(chan struct{})}
	out := `{"event":"started","at":1,"clientId":"127.0.0.1@member-7"}
a line of some library
{"event":"queues","at":2,"queues":[],"locked":[]}
{"event":"queues","at":3,"queues":["t@b:0"],"locked":[]}
{"event":"queues","at":4,"queues":["t@b:0","t@b:1"],"locked":["t@b:1"]}
{"event":"message","at":5,"id":"01","topic":"t","queue":1,"offset":9,"tags":null,"keys":"k9","reconsume":1,"good":true}
{"event":"stopped","at":6,"consumed":1}
`
	if n, err := (reader{j}).ReadFrom(strings.NewReader(out)); err != nil || n != int64(len(out)) {
		t.Fatalf("read %d bytes of %d: %v", n, len(out), err)
	}
	want := Seen{
		ClientID: "127.0.0.1@member-7", Queues: []string{"t@b:0", "t@b:1"}, Locked: []string{"t@b:1"},
		Received: []Received{{ID: "01", Topic: "t", Queue: 1, Offset: 9, Keys: "k9", Reconsume: 1, Good: true, At: time.UnixMilli(5)}},
		Consumed: 1, Ended: true,
	}
	if diff := cmp.Diff(want, j.seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var sets [][]string
	for s := range j.Queues {
		sets = append(sets, s)
	}
	if diff := cmp.Diff([][]string{{"t@b:0"}, {"t@b:0", "t@b:1"}}, sets); diff != "" {
		t.Errorf("sets in a channel for two (-want +got):\n%s", diff)
	}
}

func TestJavaVersion(t *testing.T) {
	tests := []struct {
		name, out string
		want      int
		wantErr   bool
	}{
		{name: "a Java of today", out: `openjdk version "17.0.15" 2025-04-15`, want: 17},
		{name: "one without a minor number", out: `openjdk version "21" 2023-09-19`, want: 21},
		{name: "Java 8 counts as 1.8", out: `java version "1.8.0_392"`, want: 8},
		{name: "a line that goes before", out: "Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version \"25-ea\"", want: 25},
		{name: "something else", out: "command not found", wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := javaVersion([]byte(tt.out))
			if (err != nil) != tt.wantErr || got != tt.want {
				t.Errorf("got %d, %v, want %d and an error: %t", got, err, tt.want, tt.wantErr)
			}
		})
	}
}

func TestAnswerChecksLengths(t *testing.T) {
	frame := func(total, head uint32, rest string) []byte {
		b := binary.BigEndian.AppendUint32(nil, total)
		return append(binary.BigEndian.AppendUint32(b, head), rest...)
	}
	ok := `{"code":0}`
	tests := []struct {
		name    string
		bytes   []byte
		want    string
		wantErr bool
	}{
		{name: "header and body", bytes: frame(uint32(4+len(ok)+4), uint32(len(ok)), ok+"body"), want: "body"},
		{name: "no body", bytes: frame(uint32(4+len(ok)), uint32(len(ok)), ok), want: ""},
		{name: "an answer that is no success", bytes: frame(4+11, 11, `{"code":17}`), wantErr: true},
		{name: "a header longer than the frame", bytes: frame(14, 11, ok), wantErr: true},
		{name: "a frame of 2 GiB", bytes: frame(1<<31, 10, ok), wantErr: true},
		{name: "a length below the header's own", bytes: frame(3, 0, ""), wantErr: true},
		{name: "a frame that is cut", bytes: frame(40, 10, ok), wantErr: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := answer(bytes.NewReader(tt.bytes))
			if (err != nil) != tt.wantErr || string(got) != tt.want {
				t.Errorf("got %q, %v, want %q and an error: %t", got, err, tt.want, tt.wantErr)
			}
		})
	}
}
