package rebalance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

// call is a row of any allocation vector: settings of the strategy, then one call.
type call struct {
	allocation
	Indexes          json.RawMessage `json:"result"` // into mqs; runs for CONFIG
	VirtualNodes     int
	Shift            int
	Strategy         string // the inner one is what follows MACHINE_ROOM_NEARBY-
	IDCs             []string
	Config           [][]any
	ConstructorError *struct{ Class, Message string }
}

func (c call) want(t *testing.T, queues []mq.MessageQueue) []mq.MessageQueue {
	t.Helper()
	var indexes []int
	if err := json.Unmarshal(c.Indexes, &indexes); err != nil {
		t.Fatal(err)
	}
	want := make([]mq.MessageQueue, len(indexes))
	for i, index := range indexes {
		want[i] = queues[index]
	}
	return want
}

func runs(t *testing.T, runs [][]any) []mq.MessageQueue {
	t.Helper()
	return allocation{Runs: runs}.queues(t)
}

// rowsOf reads a vector file, a value a line; gzipped if its name says so.
func rowsOf[T any](t *testing.T, name string, atLeast int) []T {
	t.Helper()
	packed, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(packed))
	if strings.HasSuffix(name, ".gz") {
		unzipped, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		lines = bufio.NewScanner(unzipped)
	}
	lines.Buffer(nil, 1<<20)
	var rows []T
	for lines.Scan() {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatalf("%s: line %d: %v", name, len(rows)+1, err)
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(rows) < atLeast {
		t.Fatalf("%s has %d rows, want at least %d", name, len(rows), atLeast)
	}
	return rows
}

// checkCalls compares a strategy with Java on each row, asked for one member and for all.
func checkCalls(t *testing.T, file string, atLeast int, make func(call) (Strategy, error)) {
	t.Helper()
	for i, c := range rowsOf[call](t, "allocation/"+file+".jsonl.gz", atLeast) {
		s, err := make(c)
		if c.ConstructorError != nil {
			if err == nil || err.Error() != c.ConstructorError.Message {
				t.Errorf("row %d: made with error %v, Java throws %q", i+1, err, c.ConstructorError.Message)
			}
			continue
		}
		if err != nil {
			t.Fatalf("row %d: %v", i+1, err)
		}
		queues := c.queues(t)
		got, err := s.Allocate(c.CID, queues, c.CIDs)
		if c.Error != nil {
			checkError(t, i+1, err, c)
			if _, err := shares(s, queues, c.CIDs); err == nil && c.CID != "" {
				t.Errorf("row %d: no error for all members, Java throws %q", i+1, c.Error.Message)
			}
			continue
		}
		if err != nil {
			t.Errorf("row %d: %v", i+1, err)
			continue
		}
		want := c.want(t, queues)
		if !slices.Equal(got, want) {
			t.Errorf("row %d (-want +got): %s", i+1, cmp.Diff(want, got))
		}
		all, err := shares(s, queues, c.CIDs)
		if err != nil || !slices.Equal(all[c.CID], want) {
			t.Errorf("row %d, asked for all members: %v, (-want +got) %s", i+1, err, cmp.Diff(want, all[c.CID]))
		}
	}
}

// checkError compares texts where they are RocketMQ's own; those of a NullPointerException
// come from the virtual machine.
func checkError(t *testing.T, row int, err error, c call) {
	t.Helper()
	own := c.Error.Class == "java.lang.IllegalArgumentException"
	if err == nil || own && err.Error() != c.Error.Message {
		t.Errorf("row %d: error %v, Java throws %q", row, err, c.Error.Message)
	}
}

func TestAveragelyForAllEqualsJava(t *testing.T) {
	checkCalls(t, "AVG", 3_499, func(call) (Strategy, error) { return Averagely{}, nil })
}

func TestAveragelyByCircleEqualsJava(t *testing.T) {
	checkCalls(t, "AVG_BY_CIRCLE", 3_499, func(call) (Strategy, error) { return AveragelyByCircle{}, nil })
}

func TestConsistentHashEqualsJava(t *testing.T) {
	checkCalls(t, "CONSISTENT_HASH", 3_499, func(call) (Strategy, error) {
		return NewConsistentHash(DefaultVirtualNodes, nil)
	})
}

func TestConsistentHashWithAnyNumberOfNodesEqualsJava(t *testing.T) {
	checkCalls(t, "CONSISTENT_HASH_nodes", 442, func(c call) (Strategy, error) {
		return NewConsistentHash(c.VirtualNodes, nil)
	})
}

func TestConsistentHashWithCollisionsEqualsJava(t *testing.T) {
	checkCalls(t, "CONSISTENT_HASH_custom", 300, func(c call) (Strategy, error) {
		return NewConsistentHash(c.VirtualNodes, func(key string) int64 {
			return int64(mq.HashJava(key) >> c.Shift)
		})
	})
}

func TestMachineRoomEqualsJava(t *testing.T) {
	make := func(c call) (Strategy, error) { return MachineRoom{Rooms: c.IDCs}, nil }
	checkCalls(t, "MACHINE_ROOM", 502, make)
	checkCalls(t, "MACHINE_ROOM_names", 120, make)
}

// tildeRooms is the resolver of the vectors.
type tildeRooms struct{}

func (tildeRooms) BrokerRoom(q mq.MessageQueue) string { return upTo(q.BrokerName, "~") }
func (tildeRooms) ClientRoom(id string) string         { return upTo(id, "~") }

func TestMachineRoomNearbyEqualsJava(t *testing.T) {
	checkCalls(t, "MACHINE_ROOM_NEARBY", 1_058, func(c call) (Strategy, error) {
		if c.ConstructorError != nil && strings.HasPrefix(c.ConstructorError.Message, "machineRoom") {
			return NewMachineRoomNearby(Averagely{}, nil)
		}
		if c.ConstructorError != nil {
			return NewMachineRoomNearby(nil, tildeRooms{})
		}
		s, err := StrategyByName(c.Strategy, StrategyOptions{Resolver: tildeRooms{}})
		if err == nil && s.Name() != c.Strategy {
			t.Errorf("%s calls itself %s", c.Strategy, s.Name())
		}
		return s, err
	})
}

func TestByConfigEqualsJava(t *testing.T) {
	for i, c := range rowsOf[call](t, "allocation/CONFIG.jsonl.gz", 200) {
		var result [][]any
		if err := json.Unmarshal(c.Indexes, &result); err != nil {
			t.Fatal(err)
		}
		got, err := ByConfig{Queues: runs(t, c.Config)}.Allocate(c.CID, c.queues(t), c.CIDs)
		if want := runs(t, result); err != nil || !slices.Equal(got, want) {
			t.Errorf("row %d: %v, (-want +got) %s", i+1, err, cmp.Diff(want, got))
		}
	}
}

func TestQueueKeysAreTheTextsOfJava(t *testing.T) {
	type row struct {
		Kind, Topic, BrokerName string
		QueueID                 int32
		ToString                string
	}
	compared := 0
	for _, r := range rowsOf[row](t, "messagequeue.jsonl", 1_000) {
		if r.Kind != "queue" {
			continue
		}
		q := mq.MessageQueue{Topic: r.Topic, BrokerName: r.BrokerName, QueueID: r.QueueID}
		if got := string(appendQueue(nil, q)); got != r.ToString {
			t.Errorf("key %q, Java has %q", got, r.ToString)
		}
		compared++
	}
	if compared < 400 {
		t.Errorf("%d queues compared, want 400", compared)
	}
}
