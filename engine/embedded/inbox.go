package embedded

import (
	"sync"

	"mqscope/engine/remoting"
)

// inboxLimit is how many requests may wait for the loop before further ones are refused, as
// a broker does whose thread pool is full.
const inboxLimit = 100_000

// job is something for the loop: a request, a closed connection, or a function.
type job struct {
	broker *Broker // nil: the name server
	peer   Peer
	cmd    *remoting.Command // nil: the connection closed
	do     func()            // set: nothing else is
}

// inbox hands jobs to the loop, all that wait at once.
type inbox struct {
	wake chan struct{} // of size one

	mu     sync.Mutex
	jobs   []job
	closed bool
}

// put queues a job; false: the loop has ended, or too many requests wait.
func (i *inbox) put(j job) (ok bool) {
	i.mu.Lock()
	if i.closed || j.cmd != nil && len(i.jobs) >= inboxLimit {
		i.mu.Unlock()
		return false
	}
	i.jobs = append(i.jobs, j)
	first := len(i.jobs) == 1
	i.mu.Unlock()
	if first {
		select {
		case i.wake <- struct{}{}:
		default:
		}
	}
	return true
}

// take returns what waits and takes used over for what comes.
func (i *inbox) take(used []job) []job {
	clear(used)
	i.mu.Lock()
	defer i.mu.Unlock()
	jobs := i.jobs
	i.jobs = used[:0]
	return jobs
}

// close refuses further jobs and returns those that wait.
func (i *inbox) close() []job {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	jobs := i.jobs
	i.jobs = nil
	return jobs
}
