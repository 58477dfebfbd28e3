package cli

import (
	"slices"
	"strings"
	"testing"

	"mqscope/engine/consumer"
)

func TestMessagesRate(t *testing.T) {
	for text, want := range map[string]consumer.Rate{"all": consumer.EveryMessage, "4MiB": 4 << 20, "64KiB": 64 << 10, "1GiB": 1 << 30} {
		if got, err := parseRate(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "none", "1KiB", "2GiB", "-1", "4MB/s", "all of them"} {
		if got, err := parseRate(text); err == nil || !strings.Contains(err.Error(), "write all") {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	if got, err := parseRate(consumer.DefaultRate.String()); err != nil || got != consumer.DefaultRate {
		t.Errorf("the default: %d, %v", got, err)
	}
}

func TestMessagesThatWereLeftOutAreSaid(t *testing.T) {
	d := consumer.Delivered{
		Left:     consumer.LeftOut{First: 10, Last: 41, Count: 30},
		Messages: []consumer.DeliveredMessage{{Offset: 42, Body: []byte("a body")}},
		Failed:   true,
	}
	got := deliveredWords(&d)
	want := []string{
		"offsets 10 to 41: 30 messages are left out, they came faster than --messages-rate",
		"failed, sent back: offset 42  id   body a body",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if words := (&recordFlags{rate: "4MiB"}).leftOut(2); words != "; 2 messages came faster than --messages-rate 4MiB and are not in it" {
		t.Errorf("at the end: %q", words)
	}
	if words := (&recordFlags{}).leftOut(0); words != "" {
		t.Errorf("where none was left out: %q", words)
	}
}
