package consumer

import "mqscope/engine/snapshot"

// WithoutDecisions takes the recorder away from all parts of p, before it runs: what a decision
// costs that nobody watches is measured against this.
func WithoutDecisions(p *Push) {
	l := p.loop
	l.decisions, l.schedule.Decisions, l.pull.Decisions, l.rebalance.Decisions = nil, nil, nil, nil
	l.offsets.Record(nil)
	l.pool = newService(l)
}

// Published is the snapshot that a remake has published last.
func Published(r *Remake) *snapshot.Snapshot { return r.loop.out.latest.Load() }

// Bytes of a snapshot are the same for equal ones.
func Bytes(s *snapshot.Snapshot) []byte { return codec().Append(nil, s) }

// StateOf are the bytes of all that a remake's loop knows.
func StateOf(r *Remake) []byte { return codec().Append(nil, r.loop) }
