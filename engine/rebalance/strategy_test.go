package rebalance

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/mq"
)

// allocation is one call of a Java strategy and what came of it.
type allocation struct {
	CID    string
	Runs   [][]any `json:"mqs"`
	CIDs   []string
	Result []int
	Error  *struct{ Class, Message string }
}

func (a allocation) queues(t *testing.T) []mq.MessageQueue {
	t.Helper()
	var queues []mq.MessageQueue
	for _, run := range a.Runs {
		for _, id := range run[2:] {
			queues = append(queues, mq.MessageQueue{
				Topic: run[0].(string), BrokerName: run[1].(string), QueueID: int32(id.(float64)),
			})
		}
	}
	return queues
}

func readAllocations(t *testing.T, name string) []allocation {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "testdata", "vectors", "allocation", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []allocation
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var a allocation
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("line %d: %v", len(all)+1, err)
		}
		all = append(all, a)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// checkAgainstJava runs a strategy on every vector and compares results and error texts.
func checkAgainstJava(t *testing.T, s Strategy, file string, atLeast int) {
	t.Helper()
	all := readAllocations(t, file)
	if len(all) < atLeast {
		t.Fatalf("%s has %d vectors, want at least %d", file, len(all), atLeast)
	}
	for i, a := range all {
		queues := a.queues(t)
		got, err := s.Allocate(a.CID, queues, a.CIDs)
		if a.Error != nil {
			if err == nil || err.Error() != a.Error.Message {
				t.Errorf("vector %d: error %v, Java throws %q", i+1, err, a.Error.Message)
			}
			continue
		}
		if err != nil {
			t.Errorf("vector %d: %v", i+1, err)
			continue
		}
		var want []mq.MessageQueue
		for _, index := range a.Result {
			want = append(want, queues[index])
		}
		if !slices.Equal(got, want) {
			t.Errorf("vector %d: %s", i+1, cmp.Diff(want, got))
		}
	}
}

func TestP15AveragelyEqualsJava(t *testing.T) {
	checkAgainstJava(t, Averagely{}, "AVG.jsonl.gz", 3_499)
}

// queuesOf returns n queues of a topic, spread over brokers of four queues each.
func queuesOf(topic string, n int) []mq.MessageQueue {
	queues := make([]mq.MessageQueue, n)
	for i := range queues {
		queues[i] = mq.MessageQueue{
			Topic: topic, BrokerName: fmt.Sprintf("broker-%04d", i/4), QueueID: int32(i % 4),
		}
	}
	return queues
}

func membersOf(n int) []string {
	members := make([]string, n)
	for i := range members {
		members[i] = fmt.Sprintf("10.0.0.%03d@1", i)
	}
	return members
}

func TestEachQueueHasOneOwner(t *testing.T) {
	for _, strategy := range []Strategy{Averagely{}} {
		for n := 1; n <= 40; n++ {
			for k := 1; k <= 12; k++ {
				queues, owners := queuesOf("t", n), map[mq.MessageQueue]int{}
				for _, member := range membersOf(k) {
					mine, err := strategy.Allocate(member, queues, membersOf(k))
					if err != nil {
						t.Fatalf("%s, %d queues, %d members: %v", strategy.Name(), n, k, err)
					}
					for _, q := range mine {
						owners[q]++
					}
				}
				for _, q := range queues {
					if owners[q] != 1 {
						t.Errorf("%s, %d queues, %d members: %v has %d owners", strategy.Name(), n, k, q, owners[q])
					}
				}
			}
		}
	}
}

func TestAllocationDoesNotChangeItsArguments(t *testing.T) {
	queues, members := queuesOf("t", 10), membersOf(3)
	mine, err := Averagely{}.Allocate(members[0], queues, members)
	if err != nil {
		t.Fatal(err)
	}
	_ = append(mine, mq.MessageQueue{Topic: "other"})
	if diff := cmp.Diff(queuesOf("t", 10), queues); diff != "" {
		t.Errorf("appending to an allocation changed the queues:\n%s", diff)
	}
	if diff := cmp.Diff(membersOf(3), members); diff != "" {
		t.Errorf("members changed:\n%s", diff)
	}
}
