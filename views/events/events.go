package events

import (
	"strconv"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/themes"
	"mqscope/views"
)

// View is the Events screen.
type View struct {
	clean  *views.Cleaner
	canvas views.Canvas
	table  views.Table
	index  views.EventIndex
}

// New returns a View.
func New() *View { return &View{clean: views.NewCleaner()} }

// ID implements views.View.
func (v *View) ID() string { return "events" }

// Place implements views.View.
func (v *View) Place() keymap.Place { return keymap.InEvents }

// Start implements views.View; the argument is a filter. A filter means that someone looks
// for something: every level is shown then.
func (v *View) Start(arg string) any {
	st := State{Follow: true, Params: Params{Filter: arg, Level: uint8(snapshot.Info)}}
	if arg != "" {
		st.Level = uint8(snapshot.Debug)
	}
	return st
}

func stateOf(state any) State {
	if st, ok := state.(State); ok {
		return st
	}
	return State{Follow: true, Params: Params{Level: uint8(snapshot.Info)}}
}

// seqs are the numbers of the events that pass, oldest first.
func (v *View) seqs(s *snapshot.Snapshot, p Params) ([]uint64, error) {
	match, bad := compile(p.Filter)
	key := strconv.Itoa(int(p.Level)) + p.Filter
	return v.index.Update(s.Events, key, func(e *snapshot.Entry) bool { return uint8(e.Level) >= p.Level && match(e) }), bad
}

// drawing is one frame in the making.
type drawing struct {
	*View
	in    views.In
	st    State
	seqs  []uint64
	bad   error
	pos   int
	short views.ShortNames
}

// Render implements views.View.
func (v *View) Render(in views.In) views.Out {
	v.clean.Use(in.Theme.Glyphs)
	st := stateOf(in.State)
	a := v.canvas.Reset(in.W, in.H)
	out := views.Out{Panes: 1, Crumb: []views.Safe{views.Own("Events")}, Mark: snapshot.MarkUnknown}
	if st.Filter != "" {
		out.Crumb = append(out.Crumb, v.clean.Cell(st.Filter))
	}
	out.Keys = []keymap.ID{keymap.Open, keymap.Follow, keymap.Filter, keymap.More, keymap.Less, keymap.Next,
		keymap.PauseScreen, keymap.Copy, keymap.PauseConsume, keymap.Reset, keymap.Theme}
	out.Label = map[keymap.ID]views.Lit{keymap.Open: "in full", keymap.More: "more levels", keymap.Less: "fewer"}
	if st.Full {
		out.Label[keymap.Open] = "close"
	}
	if !st.Full && in.Snap != nil && in.Snap.Replay.Known {
		if e := v.underCursor(st, in.Snap); e != nil && !isTold(e.Seq, in.Snap) {
			out.Label[keymap.Open] = "go there"
		}
	}
	if in.Snap == nil {
		if in.Waited >= views.ShowWait {
			a.Line(0).Space(1).Put(themes.Muted, "TIME          LVL   SRC        WHERE              WHAT")
			a.Line(1).Space(1).Put(themes.Muted, "Waiting for the first event").Glyph(themes.Muted, in.Theme.Glyphs.Ellipsis)
		}
		out.Spoken = views.Own("Events. No data yet.")
	} else {
		d := &drawing{View: v, in: in, st: st, short: views.ShortBrokers(in.Snap)}
		d.seqs, d.bad = v.seqs(in.Snap, st.Params)
		d.pos = st.pos(d.seqs)
		d.draw(a)
		if e := d.selected(); e != nil {
			out.Mark = views.LevelMark(e)
			out.Spoken = d.spoken(e)
		} else {
			out.Spoken = views.Own("Events. Nothing recorded at this level.")
		}
		out.Worst = d.status()
		if !in.Snap.Mode.Driving || in.Snap.Mode.ReadOnly {
			out.Off = append(out.Off, views.Off{ID: keymap.PauseConsume, Why: "read-only: nothing is driven"})
		}
	}
	out.Lines, out.Hits, out.Hidden = v.canvas.Lines(in.Theme), v.canvas.Hits(), v.canvas.Hidden()
	return out
}

func (d *drawing) selected() *snapshot.Entry {
	if d.pos < 0 {
		return nil
	}
	return views.EventAt(d.in.Snap.Events, d.seqs[d.pos])
}

// fresh is how many events came since following ended.
func (d *drawing) fresh() int {
	if d.st.Follow {
		return 0
	}
	n := 0
	for i := len(d.seqs) - 1; i >= 0 && d.seqs[i] > d.st.Seen; i-- {
		n++
	}
	return n
}

// status says whether the screen follows.
func (d *drawing) status() views.Spans {
	g := d.in.Theme.Glyphs
	if d.st.Follow {
		return views.Spans{{Tok: themes.ModeLive, Text: views.Sign(g.Live)}, views.Say(themes.Muted, " following")}
	}
	out := views.Spans{}
	if n := d.fresh(); n > 0 {
		out = append(out, views.Span{Tok: themes.Watch, Text: views.Join(views.Own("+"), views.Exact(int64(n)), views.Own(" new  "))})
	}
	return append(out, views.Span{Tok: themes.Key, Text: d.clean.Cell(d.in.KeyOf(keymap.Follow))}, views.Say(themes.KeyText, " follows"))
}

func (d *drawing) spoken(e *snapshot.Entry) views.Safe {
	parts := []views.Safe{views.Clock(e.At), views.Own(", "), d.clean.Cell(e.Level.String()), views.Own(", "), d.clean.Cell(e.Source), views.Own(", ")}
	if w := d.where(e); !w.Empty() {
		parts = append(parts, w, views.Own(", "))
	}
	parts = append(parts, d.clean.Cell(e.What))
	if e.Count > 1 {
		parts = append(parts, views.Own(", "), views.Exact(int64(e.Count)), views.Own(" times"))
	}
	return views.Join(append(parts, views.Own("."))...)
}

// where is the queue, broker or address of an event.
func (d *drawing) where(e *snapshot.Entry) views.Safe {
	if hasQueue(e) {
		return d.clean.QueueName(e.Queue, d.short)
	}
	return d.clean.Cell(e.Where)
}

// FilterNote implements views.Filterer.
func (v *View) FilterNote(in views.In) (note, bad views.Safe) {
	if in.Snap == nil {
		return note, bad
	}
	seqs, err := v.seqs(in.Snap, stateOf(in.State).Params)
	note = views.Join(views.Exact(int64(len(seqs))), views.Own(" of "), views.Exact(int64(len(in.Snap.Events.Entries))))
	if err != nil {
		bad = v.clean.Cell(err.Error())
	}
	return note, bad
}
