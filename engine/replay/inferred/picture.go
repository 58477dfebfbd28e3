package inferred

import (
	"fmt"

	"mqscope/engine/capture/picture"
	"mqscope/engine/snapshot"
)

// Picture is the snapshot of where the track stands.
func (t *Track) Picture() (p *snapshot.Snapshot) {
	defer func() { // as in take
		if fault := recover(); fault != nil {
			t.note(malformed(t.event, fmt.Errorf("no picture can be made of what was before: %v", fault)))
			p = &snapshot.Snapshot{Seq: t.event, At: t.At(), Wall: t.At()}
			t.describe(p)
		}
	}()
	p = picture.Picture(t.state, t.memory, picture.Options{Group: t.group, Client: t.client, Watched: t.watched, At: t.At()})
	t.describe(p)
	return p
}

func (t *Track) describe(p *snapshot.Snapshot) {
	p.Source = snapshot.Source{Kind: snapshot.Recorded, State: snapshot.Running}
	p.Replay = snapshot.Replay{
		Known: true, Inferred: true, Client: t.client, From: t.info.From, To: t.info.To, Event: t.event, Total: t.info.Total,
		At: t.At(), Told: t.told(), Damage: t.info.Damage,
	}
}
