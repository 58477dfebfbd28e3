package recorder

import (
	"mqscope/engine/consumer"
	"mqscope/engine/recording"
)

// BodiesOfNone is what a header says of message bodies where no messages are recorded.
const BodiesOfNone = "no messages"

// headerOf is what recordings of a consumer say of themselves.
func (r *Recorder) headerOf(cluster string, c *consumer.Config) recording.Header {
	bodies := r.cfg.Keep.Bodies.String()
	if r.cfg.NoMessages {
		bodies = BodiesOfNone
	}
	strategy := "AVG"
	if c.Strategy != nil {
		strategy = c.Strategy.Name()
	}
	return recording.Header{
		Program: r.cfg.Program, Created: r.clock.Now(), Source: "engine", Cluster: cluster, Group: c.Group, First: 1,
		Bodies: bodies, Secrets: r.cfg.Keep.Words(),
		Meta: map[string]string{
			"messages": r.cfg.Rate.Words(), "types": consumer.Types(), "setup": string(r.push.Setup()),
			"client": c.ClientID, "strategy": strategy, "model": c.Model.String(),
		},
	}
}
