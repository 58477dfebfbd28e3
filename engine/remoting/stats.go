package remoting

import "sync/atomic"

// Stats counts what went over all connections since the start.
type Stats struct {
	FramesIn, FramesOut int64
	BytesIn, BytesOut   int64
	// LateAnswers came after their call had ended, or a second time.
	LateAnswers int64
	// UnknownAnswers named no call of ours.
	UnknownAnswers int64
	// BadFrames each ended their connection.
	BadFrames int64
	// Requests came from the other side; RequestsRefused of them found no room or no handler.
	Requests, RequestsRefused int64
}

// counters is Stats while it counts.
type counters struct {
	framesIn, framesOut, bytesIn, bytesOut  atomic.Int64
	late, unknown, bad, requests, refusedIn atomic.Int64
}

func (c *counters) read() Stats {
	return Stats{
		FramesIn: c.framesIn.Load(), FramesOut: c.framesOut.Load(),
		BytesIn: c.bytesIn.Load(), BytesOut: c.bytesOut.Load(),
		LateAnswers: c.late.Load(), UnknownAnswers: c.unknown.Load(), BadFrames: c.bad.Load(),
		Requests: c.requests.Load(), RequestsRefused: c.refusedIn.Load(),
	}
}
