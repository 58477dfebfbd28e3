package consumer

// WithoutDecisions takes the recorder away from all parts of p, before it runs: what a decision
// costs that nobody watches is measured against this.
func WithoutDecisions(p *Push) {
	l := p.loop
	l.decisions, l.schedule.Decisions, l.pull.Decisions, l.rebalance.Decisions = nil, nil, nil, nil
	l.offsets.Record(nil)
	l.pool = newService(l)
}
