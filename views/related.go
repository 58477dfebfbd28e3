package views

import "mqscope/engine/snapshot"

// Related offers what else there is to see of a queue: its events, its pull task, its round
// trips, its lock. from is the view that asks, which is left out.
func (c *Cleaner) Related(q snapshot.MessageQueue, s *snapshot.Snapshot, from string) Pick {
	name := Quote(RawName(q))
	p := Pick{Title: "Of this queue"}
	add := func(view string, what, note Lit, arg string) {
		if view != from {
			p.Options = append(p.Options, Option{ID: view, Name: Own(what), Note: Own(note), Show: &Open{View: view, Arg: arg}})
		}
	}
	add("events", "events", "what happened to it, in order", "queue:"+name)
	add("scheduler", "pull task", "when it is pulled next, and why", EncodeQueue(q))
	add("latency", "latency", "how long its pulls take", EncodeQueue(q))
	if s != nil && s.Group.Orderly {
		add("locks", "lock", "who has it, for how long still", name)
	}
	add("detail", "queue", "what it holds, and what stops it", EncodeQueue(q))
	return p
}
