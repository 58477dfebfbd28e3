package ledger_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// plan is what one run is made of: all of it follows from the seed.
type plan struct {
	seed     uint64
	orderly  bool
	messages int
	brokers  int
	queues   int // of each topic on each broker
	members  int // to begin with; at most twice as many
	batch    int // consumeMessageBatchMaxSize
	pulls    int // pullBatchSize
	storm    time.Duration
	size     int // of a body

	// Families of faults, each on or off.
	kills, zombies, leaves, restarts, cuts     bool
	sendBacks, questions, answers, commitsLost bool
	pauses                                     bool // brokers are silent for a while
	freezes                                    bool // members are, and what they sent arrives late
	resets                                     bool // offsets are set, up and down, and the oldest messages expire
	hangs                                      bool // listeners take longer than they may
	mutates                                    bool // listeners change bodies
	slow                                       bool // many of them take seconds

	broken bool // a bug is planted: members may end badly
}

// topics are those that the group subscribes to.
var topics = []string{"orders", "refunds"}

const (
	group      = "g"
	nameServer = "namesrv:9876"

	maxReconsume = 4 // of concurrent members; and of orderly ones before the dead letters
)

// newPlan draws a plan (a swarm: each seed has other families of faults on).
func newPlan(seed uint64, orderly bool, messages int) plan {
	rng := rand.New(rand.NewPCG(seed, 1))
	p := plan{
		seed: seed, orderly: orderly, messages: messages,
		brokers: 1 + rng.IntN(3), queues: 2 + rng.IntN(5), members: 2 + rng.IntN(3),
		batch: 1 + rng.IntN(8)*rng.IntN(2), pulls: 8 << rng.IntN(3), size: 60 + rng.IntN(200),
		storm: 2 * time.Minute,
	}
	for _, on := range p.families() {
		*on = rng.IntN(3) > 0
	}
	p.kills = p.kills || !p.leaves // somebody has to go
	p.mutates, p.slow = orderly, rng.IntN(4) == 0
	return p
}

func (p *plan) families() []*bool {
	return []*bool{
		&p.kills, &p.zombies, &p.leaves, &p.restarts, &p.cuts, &p.sendBacks, &p.questions, &p.answers, &p.commitsLost,
		&p.pauses, &p.resets, &p.hangs, &p.freezes,
	}
}

// String is what a failing run is run again with.
func (p plan) String() string {
	mode := "concurrent"
	if p.orderly {
		mode = "orderly"
	}
	return fmt.Sprintf("seed %d, %s, %d messages", p.seed, mode, p.messages)
}

// rng is a source of its own for one concern, so that a draw more in one does not shift others.
func (p plan) rng(concern string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(concern))
	return rand.New(rand.NewPCG(p.seed, h.Sum64()))
}

// consumeTimeout is after how long a concurrent member takes a listener for hung.
const consumeTimeout = 20 * time.Second

// fate is what a listener does with a message. It follows from the message and how often it
// failed: whoever gets it, and when, does the same.
type fate struct {
	takes  time.Duration
	fails  bool
	panics bool
	exits  bool
}

func (p plan) fate(body []byte, failed int32, calm bool) fate {
	h := fnv.New64a()
	_, _ = h.Write(body)
	r := rand.New(rand.NewPCG(p.seed^h.Sum64(), uint64(failed)))
	var f fate
	switch r.IntN(20) {
	case 0:
		f.takes = time.Duration(r.IntN(int(20 * time.Millisecond)))
	case 1:
		if p.slow || r.IntN(40) == 0 {
			f.takes = time.Duration(r.IntN(int(3 * time.Second)))
		}
	}
	poison := h.Sum64()%2000 == 7 // it fails whoever gets it, until it is a dead letter
	if calm {
		f.takes = min(f.takes, 100*time.Millisecond)
		f.fails = poison
		return f
	}
	if p.hangs && !p.orderly && failed == 0 && r.IntN(1500) == 0 {
		f.takes = consumeTimeout/2 + time.Duration(r.IntN(int(consumeTimeout)))
	}
	switch n := r.IntN(1500); {
	case poison || n < 15:
		f.fails = true
	case n == 15:
		f.panics = true
	case n == 16:
		f.exits = true
	}
	return f
}
