package onapache_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mqscope/engine"
	"mqscope/engine/apachetest"
	"mqscope/engine/consume"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

// place is where a message lies in its topic, which has one broker.
type place struct {
	queue  int
	offset int64
}

// relay is a broadcasting group whose one member is now ours, now Java's, under one client id
// and with one file of offsets.
type relay struct {
	t     *testing.T
	ctx   context.Context
	c     *apachetest.Cluster
	topic string // and group
	id    string
	ends  map[int]int64 // of the queues, by what was produced
	sent  int
}

func (r *relay) produce(count int) {
	r.t.Helper()
	sent, err := r.c.Produce(r.ctx, apachetest.Load{Topic: r.topic, First: r.sent, Count: count, Queues: 4, Batch: 16})
	if err != nil {
		r.t.Fatal(err)
	}
	for _, a := range sent.Acks {
		r.ends[a.Queue] = max(r.ends[a.Queue], a.Offset+int64(a.Count))
	}
	r.sent += count
}

// ours lets our member consume until it has had n messages, and leave. what is in its events
// unless empty.
func (r *relay) ours(n int, what string) []place {
	r.t.Helper()
	var got deliveries
	m := joinApache(r.t, r.c, r.topic, r.topic, r.id, func(mq.Message) consume.Status { return consume.Success },
		func(c *engine.Config) {
			c.Consumer.Model, c.Consumer.OffsetsDir, c.Consumer.Threads = mq.Broadcasting, r.c.OffsetsDir(), 4
		},
		got.slow(10*time.Millisecond))
	m.until(fmt.Sprintf("%d messages", n), func(s *snapshot.Snapshot) bool {
		found := what == ""
		for _, e := range s.Events.Entries {
			found = found || strings.Contains(e.What, what)
		}
		return m.distinct() >= n && found
	})
	m.leave()
	got.mu.Lock()
	defer got.mu.Unlock()
	var places []place
	for _, d := range got.list {
		places = append(places, place{int(d.queue.QueueID), d.offset})
	}
	return places
}

// javas lets Java's member consume until it has had n messages, and leave.
func (r *relay) javas(n int) (places []place) {
	r.t.Helper()
	j, err := r.c.JavaConsumer(r.ctx, apachetest.Member{Group: r.topic, Topic: r.topic, ID: r.id, Broadcast: true, IDs: true})
	if err != nil {
		r.t.Fatal(err)
	}
	if _, err := j.Wait(r.ctx, func(s apachetest.Seen) bool { return len(s.Received) >= n }); err != nil {
		r.t.Fatal(err)
	}
	seen, err := j.Close(r.ctx)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, m := range seen.Received {
		places = append(places, place{m.Queue, m.Offset})
	}
	return places
}

// file is one of the two files of offsets.
func (r *relay) file(name string) string {
	return filepath.Join(r.c.OffsetsDir(), r.id, r.topic, name)
}

var offsetEntry = regexp.MustCompile(`\{\s*"brokerName":"[^"]*",\s*"queueId":(\d+),\s*"topic":"([^"]*)"\s*\}\s*:\s*(\d+)`)

// says is what a file of offsets says of each queue, read without the code under test.
func (r *relay) says(name string) map[int]int64 {
	r.t.Helper()
	text, err := os.ReadFile(r.file(name))
	if err != nil {
		r.t.Fatal(err)
	}
	at := map[int]int64{}
	for _, m := range offsetEntry.FindAllStringSubmatch(string(text), -1) {
		if m[2] == r.topic {
			queue, _ := strconv.Atoi(m[1])
			at[queue], _ = strconv.ParseInt(m[3], 10, 64)
		}
	}
	return at
}

// damage cuts the file of offsets in two, as a crash of a program that writes in place does, and
// returns what the backup says.
func (r *relay) damage() map[int]int64 {
	r.t.Helper()
	text, err := os.ReadFile(r.file("offsets.json"))
	if err == nil {
		err = os.WriteFile(r.file("offsets.json"), text[:len(text)/2], 0o600)
	}
	if err != nil {
		r.t.Fatal(err)
	}
	bak := r.says("offsets.json.bak")
	if len(bak) != len(r.ends) {
		r.t.Fatalf("the backup has %v, want each queue of %v", bak, r.ends)
	}
	return bak
}

// want checks that a member was given everything from the offsets from on to the end, once.
func (r *relay) want(who string, got []place, from map[int]int64) {
	r.t.Helper()
	times := map[place]int{}
	for _, p := range got {
		times[p]++
		if p.offset < from[p.queue] {
			r.t.Errorf("%s was given offset %d of queue %d, which had come to %d", who, p.offset, p.queue, from[p.queue])
		}
	}
	for queue, end := range r.ends {
		for offset := from[queue]; offset < end; offset++ {
			if n := times[place{queue, offset}]; n != 1 {
				r.t.Errorf("%s was given offset %d of queue %d %d times, want once: it should begin at %d", who, offset, queue, n, from[queue])
			}
		}
	}
}

// rest counts the messages behind offsets.
func (r *relay) rest(from map[int]int64) (n int) {
	for queue, end := range r.ends {
		n += int(end - from[queue])
	}
	return n
}

// TestApacheBroadcastingGoesOnFromTheOtherFilesOffsets has ours and Java's broadcasting consumer
// take turns under one client id: each begins exactly where the file of the other ends, also
// with the backup, when the file is damaged.
func TestApacheBroadcastingGoesOnFromTheOtherFilesOffsets(t *testing.T) {
	c := apachetest.Start(t, quickRetries())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := &relay{t: t, ctx: ctx, c: c, topic: "mqscope_broadcast", id: "127.0.0.1@broadcast", ends: map[int]int64{}}

	r.produce(2000)
	first := r.ours(300, "")
	come := map[int]int64{}
	for _, p := range first {
		come[p.queue] = max(come[p.queue], p.offset+1)
	}
	if rest := r.rest(come); rest == 0 || len(first)+rest != 2000 {
		t.Fatalf("ours was given %d messages and came to %v: the test shows nothing", len(first), come)
	}
	r.want("Java's member after ours", r.javas(r.rest(come)), come)

	at := r.says("offsets.json")
	if r.rest(at) != 0 {
		t.Errorf("the file says %v after Java's member had all, want %v", at, r.ends)
	}
	r.produce(300)
	r.want("ours after Java's", r.ours(300, ""), at)

	bak := r.damage()
	r.produce(50)
	r.want("Java's member with the backup of ours", r.javas(r.rest(bak)), bak)

	at = r.says("offsets.json")
	r.produce(100)
	r.want("ours after Java's", r.ours(100, ""), at)
	bak = r.damage()
	r.produce(50)
	r.want("ours with the backup", r.ours(r.rest(bak), "the previous generation of the offsets is used"), bak)
	if r.rest(r.says("offsets.json")) != 0 {
		t.Error("the damaged file was not written anew")
	}
}
