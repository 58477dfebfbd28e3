package rebalance

import (
	"cmp"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"mqscope/engine/mq"
)

// DefaultVirtualNodes is how many points of the ring a member has unless said otherwise.
const DefaultVirtualNodes = 10

// ConsistentHash puts each member on a ring of hashes, at several points, and gives a queue
// to the first point at or after its own hash. A member that comes or goes moves only its
// own queues; in return the shares are uneven (Java: AllocateMessageQueueConsistentHash,
// ConsistentHashRouter). NewConsistentHash makes one.
type ConsistentHash struct {
	nodes int
	hash  func(key string) int64 `pack:"-"` // nil: MD5
}

// NewConsistentHash returns a strategy with so many points for each member: with 0 nobody
// gets anything, below 0 is an error. A nil hash stands for the first four bytes of MD5; all
// members of a group must use the same.
func NewConsistentHash(virtualNodes int, hash func(key string) int64) (*ConsistentHash, error) {
	if virtualNodes < 0 {
		return nil, fmt.Errorf("illegal virtualNodeCnt :%d", virtualNodes)
	}
	return &ConsistentHash{nodes: virtualNodes, hash: hash}, nil
}

// Name is CONSISTENT_HASH.
func (*ConsistentHash) Name() string { return "CONSISTENT_HASH" }

// Allocate implements Strategy.
func (c *ConsistentHash) Allocate(me string, queues []mq.MessageQueue, members []string) ([]mq.MessageQueue, error) {
	index, err := place(me, queues, members)
	if err != nil || index < 0 {
		return nil, err
	}
	var mine []mq.MessageQueue
	for i, owner := range c.owners(queues, members) {
		if owner == index {
			mine = append(mine, queues[i])
		}
	}
	return mine, nil
}

// shares implements collective.
func (c *ConsistentHash) shares(queues []mq.MessageQueue, members []string) (map[string][]mq.MessageQueue, error) {
	all := make([][]mq.MessageQueue, len(members))
	for i, owner := range c.owners(queues, members) {
		if owner >= 0 {
			all[owner] = append(all[owner], queues[i])
		}
	}
	theirs := make(map[string][]mq.MessageQueue, len(members))
	for i, queues := range all {
		if queues != nil {
			theirs[members[i]] = queues
		}
	}
	return theirs, nil
}

// owners returns for each queue the index of its member, -1 when the ring is empty.
func (c *ConsistentHash) owners(queues []mq.MessageQueue, members []string) []int {
	ring := c.ring(members)
	owners := make([]int, len(queues))
	var key []byte
	for i, q := range queues {
		if len(ring) == 0 {
			owners[i] = -1
			continue
		}
		key = appendQueue(key[:0], q)
		at, _ := slices.BinarySearchFunc(ring, c.of(key), func(p point, hash int64) int {
			return cmp.Compare(p.hash, hash)
		})
		owners[i] = ring[at%len(ring)].member
	}
	return owners
}

// point is one virtual node.
type point struct {
	hash   int64
	member int // index, the first one where an id is listed twice
}

// ring returns the points of all members by hash. Where two have the same hash, the one put
// in last stays. A member that is listed again goes on numbering after the points it still has.
func (c *ConsistentHash) ring(members []string) []point {
	at := make(map[int64]int, len(members)*min(c.nodes, 1_000))
	first := make(map[string]int, len(members))
	var key []byte
	for i, member := range members {
		index, number := i, 0
		if earlier, again := first[member]; again {
			index, number = earlier, countOf(at, earlier)
		}
		first[member] = index
		for j := range c.nodes {
			key = append(append(key[:0], member...), '-')
			key = strconv.AppendInt(key, int64(number+j), 10)
			at[c.of(key)] = index
		}
	}
	ring := make([]point, 0, len(at))
	for _, hash := range slices.Sorted(maps.Keys(at)) {
		ring = append(ring, point{hash, at[hash]})
	}
	return ring
}

func countOf(at map[int64]int, member int) int {
	n := 0
	for _, m := range at {
		if m == member {
			n++
		}
	}
	return n
}

func (c *ConsistentHash) of(key []byte) int64 {
	if c.hash != nil {
		return c.hash(string(key))
	}
	sum := md5.Sum(key)
	return int64(binary.BigEndian.Uint32(sum[:4]))
}

// appendQueue appends the text of q.String, which is the key of a queue, without its cost.
func appendQueue(text []byte, q mq.MessageQueue) []byte {
	text = append(append(text, "MessageQueue [topic="...), q.Topic...)
	text = append(append(text, ", brokerName="...), q.BrokerName...)
	text = strconv.AppendInt(append(text, ", queueId="...), int64(q.QueueID), 10)
	return append(text, ']')
}
