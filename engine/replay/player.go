package replay

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"mqscope/engine/clock"
	"mqscope/engine/mq"
	"mqscope/engine/snapshot"
)

const (
	// frame is the least time between two pictures while it plays, quiet how long none comes while
	// nothing happens: only the clock goes on then.
	frame = 33 * time.Millisecond
	quiet = 100 * time.Millisecond
	// slice is how long it goes on before it looks for commands, sliceEvents how many events.
	slice       = 5 * time.Millisecond
	sliceEvents = 4096
)

// Watch names the queues that pictures show in detail.
type Watch struct{ Queues []mq.MessageQueue }

// PlayerConfig is what a Player plays. Track is required.
type PlayerConfig struct {
	Track Track
	File  string // as the person wrote it
	// Clock is that of the person. Default clock.System.
	Clock clock.Clock
	// Bookmarks are those of the file; nil keeps them in memory.
	Bookmarks *Bookmarks
	// Speed is how much faster than it was it plays at first. Default 1; math.Inf(1) is as fast as
	// it goes.
	Speed float64
	// Log is told what the player says, nil for nobody.
	Log *slog.Logger
}

// Player moves along a Track on a goroutine of its own and publishes pictures of where it stands.
// Its methods may be called from any goroutine, Run once; Run closes the Track.
type Player struct {
	track   Track
	clock   clock.Clock
	log     *slog.Logger
	file    string
	updates chan struct{}
	wake    chan struct{}
	newest  atomic.Pointer[snapshot.Snapshot]

	mu       sync.Mutex
	commands []any // not carried out yet

	// Of the goroutine of Run.
	info     Info
	marks    *Bookmarks
	near     window
	search   search
	hits     []snapshot.Interest // events at which a breakpoint stopped playing, by event; never changed, only replaced
	hunt     *hunt
	jumped   jump
	aims     bool // it goes on to a decision, see Aimer
	playing  bool
	ended    bool      // it was played to its end
	lacking  bool      // the event stream lacks what is before a jump
	slices   int       // that were spent on that, or on looking for breakpoints
	speed    float64   // 0 is as fast as it goes
	head     time.Time // recorded time that it has reached
	base     pace
	note     string
	noted    uint64
	seq      uint64
	changed  bool      // the track stands elsewhere than the newest picture shows
	departed bool      // and it was logged
	shown    time.Time // when the newest picture was published
}

// pace is where in recorded time playing began, and when it did.
type pace struct{ head, wall time.Time }

// NewPlayer stands where the track stands. Whoever makes one runs it.
func NewPlayer(c PlayerConfig) *Player {
	p := &Player{
		track: c.Track, file: c.File, clock: c.Clock, marks: c.Bookmarks, speed: c.Speed,
		updates: make(chan struct{}, 1), wake: make(chan struct{}, 1), info: c.Track.Info(), changed: true,
	}
	if p.clock == nil {
		p.clock = clock.System{}
	}
	if p.marks == nil {
		p.marks = NewBookmarks()
	}
	if p.log = c.Log; p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	p.logOpened()
	switch {
	case p.speed == 0:
		p.speed = 1
	case math.IsInf(p.speed, 1):
		p.speed = 0
	}
	p.say(p.marks.Trouble())
	p.stands()
	p.here()
	p.publish()
	return p
}

// Begin goes to what a person wrote, as command.Seek does, before Run is called: the first picture
// is of there.
func (p *Player) Begin(at string) error {
	to, err := p.parse(at)
	if err != nil {
		return err
	}
	noted := p.noted
	p.seekTarget(to)
	if p.noted != noted {
		return errors.New(p.note)
	}
	p.publish()
	return nil
}

// Snapshot is the newest picture.
func (p *Player) Snapshot() *snapshot.Snapshot { return p.newest.Load() }

// Updates has room for one signal: a newer snapshot is there.
func (p *Player) Updates() <-chan struct{} { return p.updates }

// Do has a command of package command or a Watch carried out, in the order in which they come.
// What is wrong with it a snapshot shows as its note.
func (p *Player) Do(cmd any) {
	p.mu.Lock()
	p.commands = append(p.commands, cmd)
	p.mu.Unlock()
	signal(p.wake)
}

// Run carries commands out until ctx ends. While nothing else is to be done it reads what the event
// stream lacks behind a jump, and looks through the recording for points of interest.
func (p *Player) Run(ctx context.Context) error {
	defer func() { _ = p.track.Close() }() // it was only read
	for ctx.Err() == nil {
		if p.carryOut() {
			p.publish()
		}
		wait := time.Duration(-1) // until a command comes
		switch {
		case p.aims:
			p.aimOn()
			wait = 0
		case p.hunt != nil:
			p.huntOn()
			wait = 0
		case p.playing:
			wait = p.advance()
		}
		if wait != 0 && (wait < 0 || wait > 2*slice) && p.idle() {
			continue
		}
		if wait != 0 {
			p.sleep(ctx, wait)
		}
	}
	return nil
}

// idle does for a slice what nobody waits for; it is false where there is nothing left of that.
func (p *Player) idle() bool {
	switch {
	case p.lacking:
		p.fillOn()
	case !p.search.over:
		p.searchOn()
	default:
		return false
	}
	return true
}

// sleep waits for a time, the end or a command; without a time where d is negative.
func (p *Player) sleep(ctx context.Context, d time.Duration) {
	w := clock.Waits{First: p.wake}
	if d > 0 {
		w.Timer = p.clock.NewTimer(d)
		defer w.Timer.Stop()
	}
	clock.Wait(ctx, p.clock, w)
}

// asked tells whether commands wait.
func (p *Player) asked() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.commands) > 0
}

// say shows a sentence to the person; an empty one shows nothing.
func (p *Player) say(text string) {
	if text == "" {
		return
	}
	p.note = text
	p.noted++
	p.log.LogAttrs(context.Background(), slog.LevelInfo, text, slog.Uint64("event", p.track.Event()))
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
