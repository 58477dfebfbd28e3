// Package captured has pictures of real groups for the tests of screens: what was inferred from
// the captures of Apache's clients in testdata/captures.
package captured

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/picture"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
	"mqscope/views"
	"mqscope/views/viewtest"
)

// moment is a picture of one group, so many seconds after the first frame of a capture.
type moment struct {
	name, file, group, client string
	seconds                   float64
}

// moments are what the screens are drawn of: two members of an orderly group with their locks;
// a member that just took queues over; the same for one of the clients; a group that pops.
func moments() []moment {
	return []moment{
		{"wire-orderly", "push-orderly", "g_ord2", "", 45},
		{"wire-rebalance", "push-concurrent", "g_push", "", 11.9},
		{"wire-client", "push-concurrent", "g_push", "192.0.2.2@c5012", 12},
		{"wire-pop", "pop", "g_pop", "", 10},
	}
}

// Cases are the pictures; root is the way to the project's root.
func Cases(t testing.TB, root string) []viewtest.Case {
	t.Helper()
	var out []viewtest.Case
	for _, m := range moments() {
		out = append(out, viewtest.Case{Name: m.name, Snap: m.draw(t, root)})
	}
	return out
}

func (m moment) draw(t testing.TB, root string) *snapshot.Snapshot {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "testdata", "captures", m.file+".pcap"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := capture.Read(bytes.NewReader(data), capture.Options{})
	if err != nil {
		t.Fatal(err)
	}
	infers, state, memory := infer.New(), infer.NewState(), picture.NewMemory()
	var at time.Time
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if at.IsZero() && (it.Kind == capture.Asked || it.Kind == capture.Done) {
			at = it.At.Add(time.Duration(m.seconds * float64(time.Second)))
		}
		if !at.IsZero() && it.At.After(at) {
			break
		}
		for _, e := range infers.Step(it) {
			state.Step(e)
			memory.Step(state, e)
		}
	}
	return picture.Picture(state, memory, picture.Options{
		Group: m.group, Client: m.client, At: at,
		Watched: []mq.MessageQueue{{Topic: "orders", BrokerName: "broker-a", QueueID: 0}, {Topic: "orders", BrokerName: "broker-a", QueueID: 2}},
	})
}

// Goldens compares a screen's frames of all pictures with their golden frames.
func Goldens(t *testing.T, root, name string, s viewtest.Subject) {
	t.Helper()
	th := viewtest.Theme(t, "mqscope-dark", "unicode")
	for _, c := range Cases(t, root) {
		for _, size := range [][2]int{{80, 24}, {120, 36}} {
			t.Run(fmt.Sprintf("%s at %dx%d", c.Name, size[0], size[1]), func(t *testing.T) {
				shot := s.Shot(c, size[0], size[1], th)
				shot.Later = c.Snap.At.Sub(viewtest.Now())
				w, h := views.BodySize(size[0], size[1], c.Snap)
				shot.State, _ = shot.View.Reduce(shot.State, views.Event{Action: views.Refresh, W: w, H: h, Now: c.Snap.At}, c.Snap)
				lines, _, _ := shot.Draw()
				viewtest.CheckFrame(t, lines, size[0], size[1], th)
				viewtest.Golden(t, root, fmt.Sprintf("%s/%s.%dx%d.txt", name, c.Name, size[0], size[1]), viewtest.Plain(lines))
			})
		}
	}
}
