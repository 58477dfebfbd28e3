//go:build unix

package consumer_test

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"mqscope/engine/consumer"
	"mqscope/engine/recording"
	"mqscope/engine/recording/policy"
)

// recordedTo has a consumer recorded to a new file, and tells how many bytes that got.
func recordedTo(b *testing.B, keep *consumer.Messages) (prepare func(p *consumer.Push), finish func() int64) {
	var w *recording.Writer
	done := make(chan struct{})
	prepare = func(p *consumer.Push) {
		var err error
		w, err = recording.Create(filepath.Join(b.TempDir(), "a.mqrec"), recording.Header{Source: "engine", First: 1}, recording.Options{QueueBytes: 64 << 20})
		if err != nil {
			b.Fatal(err)
		}
		go func() { defer close(done); _ = w.Run(context.Background()) }()
		p.Record(w)
		if keep != nil {
			p.RecordMessages(w, *keep)
		}
	}
	return prepare, func() int64 {
		if err := w.Close(b.Context()); err != nil {
			b.Error(err)
		}
		<-done
		return w.Size()
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// spread is the standard error of the median of list, about.
func spread(list []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, v := range list {
		sum, squares = sum+v, squares+v*v
	}
	n := float64(len(list))
	return 1.25 * math.Sqrt(max(0, squares/n-sum*sum/(n*n))/n)
}

// BenchmarkRecordedConsumer takes turns without and with recording, so that both see the same
// machine, and says by how many per cent a message costs more when all is recorded but messages,
// with as many of them as the rate of a recording allows for, and with all of them: medians of CPU
// time, all goroutines together. The peer that sends the messages is in it; it only writes
// what it has. A turn takes some four seconds, of which the first records twice the rate: what was
// saved up. Give it many turns, as in -benchtime 30x: ± is the standard error of the percentage.
func BenchmarkRecordedConsumer(b *testing.B) {
	messages := 4_000_000
	if testing.Short() {
		messages = 200_000
	}
	all := func(bodies policy.Bodies) *consumer.Messages {
		return &consumer.Messages{Keep: policy.Policy{Bodies: bodies}, Rate: consumer.EveryMessage}
	}
	for _, c := range []struct {
		name string
		keep *consumer.Messages
	}{
		{"none", nil},
		{"256", &consumer.Messages{}},
		{"hash-every", all(policy.Hash)},
		{"256-every", all(0)},
		{"full-every", all(policy.Full)},
	} {
		b.Run("bodies="+c.name, func(b *testing.B) {
			var without, with, more []float64
			var bytes int64
			plain := func() { without = append(without, acknowledged(b, messages, nil)) }
			recorded := func() {
				prepare, finish := recordedTo(b, c.keep)
				with = append(with, acknowledged(b, messages, prepare))
				bytes = finish()
			}
			for turn := 0; b.Loop(); turn++ {
				if turn%2 == 0 {
					plain()
					recorded()
				} else { // who is second finds another machine
					recorded()
					plain()
				}
				more = append(more, 100*(with[turn]-without[turn])/without[turn])
			}
			b.ReportMetric(spread(more), "±")
			b.ReportMetric(median(without), "plain-ns/msg")
			b.ReportMetric(median(with), "recorded-ns/msg")
			b.ReportMetric(median(more), "%-more") // of turns: the machine's moods last longer than one
			b.ReportMetric(float64(bytes)/float64(messages), "file-B/msg")
		})
	}
}
