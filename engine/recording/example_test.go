package recording_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"mqscope/engine/lifecycle"
	"mqscope/engine/recording"
)

func Example() {
	dir, err := os.MkdirTemp("", "recording")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "orders.mqrec")

	w, err := recording.Create(path, recording.Header{Group: "orders"}, recording.Options{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	g, _ := lifecycle.NewGroup(ctx)
	g.Go("recording", w.Run)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for n := range 10 {
		w.Append(recording.Record{
			Kind: 1, At: at.Add(time.Duration(n) * time.Second), Checkpoint: n%4 == 0,
			Payload: fmt.Appendf(nil, "event %d", n),
		})
	}
	if err := w.Close(ctx); err != nil {
		panic(err)
	}

	r, err := recording.Open(path)
	if err != nil {
		panic(err)
	}
	defer r.Close()
	if err := r.SeekTime(at.Add(6500 * time.Millisecond)); err != nil {
		panic(err)
	}
	e, err := r.Next()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s is number %d\n", e.Payload, e.Number)
	if _, err := r.SeekCheckpoint(e.Number); err != nil {
		panic(err)
	}
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", e.Payload)
	}
	// Output:
	// event 7 is number 7
	// event 4
	// event 5
	// event 6
	// event 7
	// event 8
	// event 9
}
