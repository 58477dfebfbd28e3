package treemap

import (
	"time"

	"mqscope/engine/snapshot"
	"mqscope/themes"
	"mqscope/views"
)

// level is what a shade says of a queue.
type level struct {
	mark snapshot.Mark
	step int // 0 to 3, the fill
	text views.Safe
	// brief is text for a narrow rectangle.
	brief views.Safe
}

// markOfStep is the mark that goes with a fill.
func markOfStep(step int) snapshot.Mark {
	return [...]snapshot.Mark{snapshot.MarkOK, snapshot.MarkWatch, snapshot.MarkWarn, snapshot.MarkBad}[step]
}

// The ends of the steps of lag and of age.
func lagStep(n int64) int {
	switch {
	case n < 1_000:
		return 0
	case n < 100_000:
		return 1
	case n < 1_000_000:
		return 2
	}
	return 3
}

func ageStep(d time.Duration) int {
	switch {
	case d < 10*time.Second:
		return 0
	case d < time.Minute:
		return 1
	case d < 10*time.Minute:
		return 2
	}
	return 3
}

// shader reads one shade off queues.
type shader struct {
	shade Shade
	s     *snapshot.Snapshot
	now   time.Time
	old   bool // the snapshot is, so nothing in it is known to be well
	exact bool
	g     *themes.Glyphs
	clean *views.Cleaner
}

// step is the shade of q without its words: cheap, for thousands of queues.
func (sh shader) step(q *snapshot.Queue) (step int, mark snapshot.Mark) {
	switch sh.shade {
	case OfLock:
		step, mark = sh.lock(q)
	case OfFlow:
		step, mark = sh.flow(q)
	case OfAge:
		step, mark = sh.age(q)
	default:
		step, mark = sh.lag(q)
	}
	if sh.old && mark == snapshot.MarkOK {
		mark = snapshot.MarkStale
	}
	return step, mark
}

func (sh shader) lag(q *snapshot.Queue) (int, snapshot.Mark) {
	switch v := q.Lag; {
	case v.State == snapshot.NotApplicable:
		return 0, snapshot.MarkOK
	case v.State == snapshot.Unknown:
		return 0, snapshot.MarkUnknown
	case v.State == snapshot.Stale:
		return lagStep(v.V), snapshot.MarkStale
	case v.V < 0: // the commit is ahead of the broker
		return 2, snapshot.MarkWarn
	default:
		step := lagStep(v.V)
		return step, markOfStep(step)
	}
}

func (sh shader) lock(q *snapshot.Queue) (int, snapshot.Mark) {
	l := views.LockAt(q, sh.now)
	switch {
	case !l.Used || l.Kind == views.LockMine || l.Kind == views.LockHeld:
		return 0, snapshot.MarkOK
	case l.Kind == views.LockUnknown || l.Kind == views.LockOther:
		return 0, snapshot.MarkUnknown
	case l.Kind.Mark() == snapshot.MarkBad:
		return 3, snapshot.MarkBad
	}
	return 1, l.Kind.Mark()
}

// flow is how long pulls have been put back.
func (sh shader) flow(q *snapshot.Queue) (int, snapshot.Mark) {
	if q.Flow.Cause == "" && q.Inferred {
		return 0, snapshot.MarkUnknown
	}
	if q.Flow.Cause == "" {
		return 0, snapshot.MarkOK
	}
	step := 1 + min(ageStep(sh.now.Sub(q.Flow.Since)), 2)
	return step, markOfStep(step)
}

// age is how long no listener has returned, of queues that hold messages.
func (sh shader) age(q *snapshot.Queue) (int, snapshot.Mark) {
	switch {
	case q.Count.OK() && q.Count.V == 0:
		return 0, snapshot.MarkOK
	case !q.LastTaken.OK() || q.LastTaken.V.IsZero():
		return 0, snapshot.MarkUnknown
	}
	step := ageStep(sh.now.Sub(q.LastTaken.V))
	return step, markOfStep(step)
}

// of is the shade of q with its words.
func (sh shader) of(q *snapshot.Queue) level {
	step, mark := sh.step(q)
	text, brief := sh.words(q)
	return level{mark, step, text, brief}
}

func (sh shader) words(q *snapshot.Queue) (text, brief views.Safe) {
	named := func(name views.Lit, s views.Safe) (views.Safe, views.Safe) { return views.Join(views.Own(name), s), s }
	switch sh.shade {
	case OfLock:
		l := views.LockAt(q, sh.now)
		if !l.Used {
			return named("no lock ", views.Own("used"))
		}
		return named("lock ", views.Own(l.Kind.Word()))
	case OfFlow:
		if q.Flow.Cause == "" {
			return named("flow ", views.Own("-"))
		}
		cause := views.Join(views.Own("!"), sh.clean.Cause(string(q.Flow.Cause)))
		return views.Join(cause, views.Own(" "), views.Age(sh.now, q.Flow.Since, sh.g)), cause
	case OfAge:
		if q.Count.OK() && q.Count.V == 0 {
			return named("nothing ", views.Own("waits"))
		}
		return named("last ", views.Value(q.LastTaken, themes.Text, func(t time.Time) views.Safe { return views.Ago(sh.now, t, sh.g) }).Text)
	}
	return named("lag ", views.Lag(q.Lag, sh.exact, sh.g).Text)
}

// worst is the worst mark and the highest step of some queues.
func (sh shader) worst(queues []int32) (step int, mark snapshot.Mark) {
	mark = snapshot.MarkOK
	for _, i := range queues {
		st, m := sh.step(&sh.s.Queues[i])
		step, mark = max(step, st), views.Worse(mark, m)
	}
	return step, mark
}

// fillOf is the pattern of a step; the first one is blank.
func fillOf(step int, g *themes.Glyphs) themes.Glyph {
	fills := [...]themes.Glyph{" ", ".", ":", "#"}
	switch g.Name {
	case "unicode":
		fills = [...]themes.Glyph{" ", "░", "▒", "▓"}
	case "cjk":
		fills = [...]themes.Glyph{" ", "░", "%", "#"}
	}
	return fills[step]
}

func fillToken(step int, mark snapshot.Mark) themes.Token {
	if mark == snapshot.MarkStale {
		return themes.Stale
	}
	return themes.Lag(step)
}

// scale is the legend of a shade: the words of its steps.
func (s Shade) scale() [4]views.Lit {
	switch s {
	case OfLock:
		return [4]views.Lit{"ours", "late", "", "lost"}
	case OfFlow:
		return [4]views.Lit{"none", "<10s", "<1m", "1m+"}
	case OfAge:
		return [4]views.Lit{"<10s", "<1m", "<10m", "10m+"}
	}
	return [4]views.Lit{"<1k", "<100k", "<1M", "1M+"}
}

func (s Shade) name() views.Lit { return [...]views.Lit{"lag", "lock", "flow", "age"}[min(s, OfAge)] }

func (m Metric) name() views.Lit {
	return [...]views.Lit{"cached bytes", "cached messages", "lag"}[min(m, ByLag)]
}

func (g Grouping) name() views.Lit {
	return [...]views.Lit{"broker", "topic", "owner", "none"}[min(g, Flat)]
}

// write writes a size.
func (m Metric) write(n int64, exact bool) views.Safe {
	if m == ByBytes {
		return views.Bytes(n, exact)
	}
	return views.Count(n, exact)
}
