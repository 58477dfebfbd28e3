package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"mqscope/engine/capture/infer"
	"mqscope/engine/replay"
	"mqscope/engine/replay/tracks"
	"mqscope/engine/snapshot"
)

// isRecording tells whether the file begins as a recording does; it is read from the beginning
// afterwards.
func isRecording(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	head := make([]byte, 5)
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	same := 0
	for i, b := range head {
		if b == "MQREC"[i] {
			same++
		}
	}
	return same >= len(head)-1, nil // one that is damaged there is one, too
}

// recording prints the events of a recording.
func (f *eventFlags) recording(name string, p *eventPrinter) error {
	t, err := tracks.Open(name, replay.Options{Group: f.group})
	if err != nil {
		return err
	}
	defer t.Close() //nolint:errcheck // it was only read
	info := t.Info()
	p.start = info.From
	p.provenance = "recorded"
	if f.wantsMessages() {
		return f.messages(name, info, p)
	}
	if info.Header.Source != replay.SourceEngine {
		p.provenance = infer.Provenance
		if err := f.checkKinds(); err != nil {
			return err
		}
	} else if err := f.checkOurKinds(); err != nil {
		return err
	}
	if f.queues {
		return f.queuesAt(t, p)
	}
	if err := f.list(name, t, p); err != nil {
		return err
	}
	if d := t.Info().Damage; d != "" {
		fmt.Fprintf(p.err, "mqscope: %s: the recording is %s\n", clean(name), clean(d))
	}
	return nil
}

// list prints the events that are wanted.
func (f *eventFlags) list(name string, t replay.Track, p *eventPrinter) error {
	from, err := firstEvent(t, f.from)
	if err != nil {
		return err
	}
	for m, err := range t.Moments(from) {
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if f.to.set() && f.to.behind(m.Event, m.At, p.start) {
			return nil
		}
		row := eventRow{number: m.Event, at: m.At, kind: m.Kind, client: m.Client, group: m.Group, topic: m.Queue.Topic, where: m.Where, queue: m.Queue}
		if row.topic == "" {
			row.topic = m.Where
		}
		if !p.wanted(&row) {
			continue
		}
		if err := p.line(&row, m.Words); err != nil {
			return err
		}
	}
	return nil
}

// firstEvent is the number of the first event that is not before the place.
func firstEvent(t replay.Track, from place) (uint64, error) {
	if from.event > 0 || !from.set() {
		return from.event, nil
	}
	if err := t.SeekTime(from.time(t.Info().From).Add(-1)); err != nil {
		return 0, err
	}
	return t.Event() + 1, nil
}

// queuesAt prints the queues of the group as they were at --to, or at the end.
func (f *eventFlags) queuesAt(t replay.Track, p *eventPrinter) error {
	info, err := t.Info(), error(nil)
	switch {
	case !f.to.set():
		err = t.Seek(info.Total)
	case f.to.event > 0:
		err = t.Seek(f.to.event)
	default:
		err = t.SeekTime(f.to.time(info.From))
	}
	if err != nil {
		return err
	}
	s := t.Picture()
	rows := [][]string{queueHeads()}
	for i := range s.Queues {
		q := &s.Queues[i]
		if f.topic != "" && q.ID.Topic != f.topic || len(f.onlyQueues) > 0 && !slices.Contains(f.onlyQueues, q.ID) {
			continue
		}
		rows = append(rows, []string{
			clean(s.Group.Name), clean(q.ID.Path()), clean(dash(q.Owner.V)), number(q.Next), number(q.Committed), number(q.Count),
			number(q.Lag), strconv.FormatUint(q.Found, 10), clean(lockWord(&q.Lock)),
		})
	}
	fmt.Fprintf(p.out, "queues at event %d, %.3fs after the first one, %s\n", t.Event(), t.At().Sub(info.From).Seconds(), p.provenance)
	columns(p.out, rows, 3, 8)
	if d := t.Info().Damage; d != "" {
		fmt.Fprintf(p.out, "recording %s\n", clean(d))
	}
	return nil
}

// lockWord says who holds the lock of a queue.
func lockWord(l *snapshot.Lock) string {
	switch {
	case !l.Used:
		return "-"
	case l.BrokerSays == snapshot.LockHeld && len(l.Believers) > 0:
		return l.Believers[0]
	}
	return l.BrokerSays.String()
}
