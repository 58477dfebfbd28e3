package proxy

import (
	"context"
	"time"

	"mqscope/engine/capture/infer"
	"mqscope/engine/capture/observer"
)

// restFor is how long the observer lets things gather: who looks at what it concludes sees it a frame
// later.
const restFor = 25 * time.Millisecond

func newObserver(p *Proxy, rest time.Duration) *observer.Observer {
	return observer.New(observer.Config{
		Clock: p.cfg.Clock, QueueBytes: p.cfg.QueueBytes, Rest: rest,
		Sink: func(events []infer.Event) {
			for _, e := range events {
				p.cfg.Sink.Add(e)
			}
			p.count.events.Add(int64(len(events)))
		},
		Missed: func(n int) {
			p.count.unseen.Add(int64(n))
			p.notice(Behind, "more traffic than can be looked at: the recording has gaps, clients notice nothing")
		},
	})
}

// look has the observer look at what is carried. When it fails nothing is watched any more, and all
// else goes on.
func (p *Proxy) look(ctx context.Context) error {
	err := p.watch.Run(ctx)
	if err != nil {
		p.notice(Behind, "nothing is watched any more: "+err.Error())
	}
	return err
}
