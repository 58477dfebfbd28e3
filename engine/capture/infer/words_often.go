package infer

import (
	"strconv"

	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// often has the words of what most events are, without the detours of package fmt: a recording is
// played at a million events a second.
func often(f Fact) (text string, ok bool) {
	var room [160]byte
	b := line(room[:0])
	switch f := f.(type) {
	case PullSent:
		b = b.text("pull from ").number(f.Offset).text(", at most ").number(int64(f.Max)).text(", may be held ").text(f.MayHold.String())
	case PullDone:
		if !f.Answered || f.Status == mq.PullFailed {
			return "", false
		}
		b = b.answered(f)
	case Committed:
		if f.Code != protocol.Success {
			return "", false
		}
		b = b.text("committed ").number(f.Offset).text(", known by ").text(string(f.How))
	case OffsetsSeen:
		b = b.text("queue has ").ends(f.Min, f.Max)
	case Stored:
		b = b.text("stored at ").number(f.Offset)
	case Acked:
		b = b.text("acknowledged ").number(f.Offset).text(": ").text(f.Code.String())
	default:
		return "", false
	}
	return string(b), true
}

type line []byte

func (b line) text(s string) line { return append(b, s...) }

func (b line) number(n int64) line { return strconv.AppendInt(b, n, 10) }

// ends are those of a queue: what was not told is unknown.
func (b line) ends(low, high int64) line {
	return b.text("[").known(low).text(", ").known(high).text(")")
}

func (b line) known(n int64) line {
	if n < 0 {
		return b.text("?")
	}
	return b.number(n)
}

func (b line) answered(f PullDone) line {
	b = b.text(f.Status.String()).text(" to the pull from ").number(f.Offset)
	if f.Held {
		b = b.text(", held for ")
	} else {
		b = b.text(" after ")
	}
	b = b.text(short(f.RoundTrip).String()).text(": ").text(count(len(f.Offsets), "message")).text(", next ").number(f.Next)
	b = b.text(", queue has ").ends(f.Min, f.Max)
	if f.Cut {
		b = b.text(", some were not captured")
	}
	return b
}
