package apachetest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Member is a DefaultMQPushConsumer to be started.
type Member struct {
	Group, Topic string
	ID           string // client id as ip@instance, "" = one of its own
	Tag          string // expression, "" = "*"
	Orderly      bool
	Broadcast    bool
	BrokerSide   bool          // let brokers divide the queues: clientRebalance=false
	FromLast     bool          // CONSUME_FROM_LAST_OFFSET instead of FIRST
	IDs          bool          // report each message
	NameServer   string        // of what stands between it and the cluster, "" = the cluster's own
	Later        int           // deliveries of a message that are answered "later" before it counts
	Work         time.Duration // for each message

	// Strategies is how queues are allotted, by Java's names; nil = AVG. With several of them
	// the member is one of as many groups: with strategy S of group Group_S, for topic Topic_S,
	// under client id ID-S.
	Strategies []string
	Queues     []string // topic@broker:id, that strategy CONFIG gives this member
	Rooms      []string // that strategy MACHINE_ROOM consumes from
}

// Of is the name of the group or topic that belongs to one of several strategies.
func Of(name, strategy string) string { return name + "_" + strategy }

// Received is one delivery.
type Received struct {
	ID, Topic  string
	Queue      int
	Offset     int64
	Tags, Keys string
	Reconsume  int
	Good       bool      // answered with success
	At         time.Time // when its work was done, by the computer's clock in ms
}

// Seen is what a member has told so far.
type Seen struct {
	ClientID string
	Queues   []string   // owned of its topics, "topic@broker:id", sorted
	Locked   []string   // those of them whose lock an orderly member holds
	Received []Received // with Member.IDs; not to be changed
	Consumed int        // as told at its end
	Ended    bool       // its output has ended
}

// JavaConsumer is a running member in a JVM of its own.
type JavaConsumer struct {
	// Queues gets each new set of owned queues and is closed at the member's end. The oldest
	// is dropped when a hundred are not read.
	Queues <-chan []string

	process *process
	queues  chan []string

	mu      sync.Mutex
	seen    Seen
	changed chan struct{} // closed and replaced at each change of seen
}

// JavaConsumer starts a member and returns when its consumer has started. It runs until
// Close, Kill or the end of the cluster.
func (c *Cluster) JavaConsumer(ctx context.Context, m Member) (*JavaConsumer, error) {
	tag, from := "*", "first"
	if m.Tag != "" {
		tag = m.Tag
	}
	if m.FromLast {
		from = "last"
	}
	groups, topics := []string{m.Group}, []string{m.Topic}
	if len(m.Strategies) > 1 {
		groups, topics = nil, nil
		for _, s := range m.Strategies {
			groups, topics = append(groups, Of(m.Group, s)), append(topics, Of(m.Topic, s))
		}
	}
	names := m.NameServer
	if names == "" {
		names = c.NameServer
	}
	args := []string{"consume", "namesrv=" + names, "group=" + strings.Join(groups, ","), "topic=" + strings.Join(topics, ","),
		"tag=" + tag, "from=" + from, "orderly=" + strconv.FormatBool(m.Orderly), "broadcast=" + strconv.FormatBool(m.Broadcast),
		"brokerside=" + strconv.FormatBool(m.BrokerSide), "ids=" + strconv.FormatBool(m.IDs), "later=" + strconv.Itoa(m.Later), "work=" + strconv.FormatInt(m.Work.Milliseconds(), 10),
		"id=" + m.ID}
	for name, list := range map[string][]string{"strategy": m.Strategies, "queues": m.Queues, "rooms": m.Rooms} {
		if len(list) > 0 {
			args = append(args, name+"="+strings.Join(list, ","))
		}
	}
	j, err := c.startMember(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("start a Java consumer of %s: %w\n%s", m.Topic, err, tail(filepath.Join(c.Folder, "clients", "consume.log")))
	}
	return j, nil
}

// OffsetsDir is the folder that broadcasting Java members keep their offsets in
// (rocketmq.client.localOffsetStoreDir).
func (c *Cluster) OffsetsDir() string { return filepath.Join(c.Folder, "clients", "offsets") }

// startMember runs a program of Apache's that is a member of a group, and returns when its
// consumer has started.
func (c *Cluster) startMember(ctx context.Context, args ...string) (*JavaConsumer, error) {
	queues := make(chan []string, 100)
	j := &JavaConsumer{Queues: queues, queues: queues, changed: make(chan struct{})}
	cmd := c.command(context.WithoutCancel(ctx), args...)
	cmd.Stdout = reader{j}
	var err error
	if j.process, err = run(cmd); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.members = append(c.members, j)
	c.mu.Unlock()
	if _, err := j.Wait(ctx, func(s Seen) bool { return s.ClientID != "" }); err != nil {
		j.Kill()
		return nil, err
	}
	return j, nil
}

// Wait returns once cond holds for what the member has told, or with an error when ctx or
// the member ends first.
func (j *JavaConsumer) Wait(ctx context.Context, cond func(Seen) bool) (Seen, error) {
	for {
		j.mu.Lock()
		seen, changed := j.seen, j.changed
		j.mu.Unlock()
		if cond(seen) {
			return seen, nil
		}
		if seen.Ended {
			return seen, errors.New("the Java consumer ended")
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return seen, fmt.Errorf("wait for the Java consumer, which owns %v and received %d: %w", seen.Queues, len(seen.Received), ctx.Err())
		}
	}
}

// Close has the member leave its group cleanly and waits for its end; it returns all that
// it told.
func (j *JavaConsumer) Close(ctx context.Context) (Seen, error) {
	_ = j.process.input.Close() // the member's sign to end
	seen, err := j.Wait(ctx, func(s Seen) bool { return s.Ended })
	if err != nil {
		j.Kill()
		return seen, err
	}
	if err := j.process.reap(); err != nil {
		return seen, fmt.Errorf("end of a Java consumer: %w", err)
	}
	return seen, nil
}

// Kill ends the member at once: the broker finds out by its closed connection. It does
// nothing to one that has ended.
func (j *JavaConsumer) Kill() {
	if j.process.cmd.ProcessState == nil {
		_ = j.process.kill() // it may be ending by itself
	}
}

func (j *JavaConsumer) update(f func(*Seen)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	f(&j.seen)
	close(j.changed)
	j.changed = make(chan struct{})
}

// reader takes a member's output. It is an io.ReaderFrom, so that the goroutine of os/exec
// that copies output runs it to the end of the stream.
type reader struct{ j *JavaConsumer }

// Write takes what comes some other way than through ReadFrom: nothing does.
func (r reader) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

// ReadFrom reads lines until the member's output ends.
func (r reader) ReadFrom(src io.Reader) (int64, error) {
	var n int64
	lines := bufio.NewScanner(src)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		n += int64(len(lines.Bytes())) + 1
		r.j.take(lines.Bytes())
	}
	close(r.j.queues)
	r.j.update(func(s *Seen) { s.Ended = true })
	return n, lines.Err()
}

// take reads one line of Consume.java; what is not one of its lines is passed over.
func (j *JavaConsumer) take(line []byte) {
	var l struct {
		Event     string
		ClientID  string
		Queue     int
		Queues    []string
		Locked    []string
		Consumed  int
		ID        string
		Topic     string
		Offset    int64
		Tags      string
		Keys      string
		Reconsume int
		Good      bool
		At        int64
	}
	if json.Unmarshal(line, &l) != nil {
		return
	}
	switch l.Event {
	case "started":
		j.update(func(s *Seen) { s.ClientID = l.ClientID })
	case "queues":
		j.update(func(s *Seen) { s.Queues, s.Locked = l.Queues, l.Locked })
		for {
			select {
			case j.queues <- l.Queues:
				return
			default:
			}
			select {
			case <-j.queues:
			default:
			}
		}
	case "message":
		j.update(func(s *Seen) {
			s.Received = append(s.Received, Received{l.ID, l.Topic, l.Queue, l.Offset, l.Tags, l.Keys, l.Reconsume, l.Good, time.UnixMilli(l.At)})
		})
	case "stopped":
		j.update(func(s *Seen) { s.Consumed = l.Consumed })
	}
}
