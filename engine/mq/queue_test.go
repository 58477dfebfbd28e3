package mq

import (
	"cmp"
	"slices"
	"testing"
)

type queueVector struct {
	Kind       string
	Index      int
	Topic      string
	BrokerName string
	QueueID    int32
	ToString   string
	Rank       int
	A, B       int64
	CompareTo  int
	Sign       int
}

func TestS1QueuesSortAndPrintAsJavas(t *testing.T) {
	all := vectors[queueVector](t, "messagequeue.jsonl")
	var queues []MessageQueue
	ranks := map[MessageQueue]int{}
	for _, v := range all {
		if v.Kind != "queue" {
			continue
		}
		q := MessageQueue{v.Topic, v.BrokerName, v.QueueID}
		queues = append(queues, q)
		ranks[q] = v.Rank
		if got := q.String(); got != v.ToString {
			t.Errorf("%q is printed, Java prints %q", got, v.ToString)
		}
	}
	compared := 0
	for _, v := range all {
		switch v.Kind {
		case "compare":
			a, b := queues[v.A], queues[v.B]
			if got := a.Compare(b); got != v.Sign {
				t.Errorf("%v against %v is %d, Java says %d", a, b, got, v.Sign)
			}
		case "overflow": // ids too far apart compare the wrong way round, as in Java
			a, b := MessageQueue{QueueID: int32(v.A)}, MessageQueue{QueueID: int32(v.B)}
			if got, want := a.Compare(b), cmp.Compare(v.CompareTo, 0); got != want {
				t.Errorf("%d against %d is %d, Java says %d", v.A, v.B, got, want)
			}
		default:
			continue
		}
		compared++
	}
	if len(queues) != 400 || compared != 606 {
		t.Errorf("%d queues, %d compared", len(queues), compared)
	}
	slices.SortStableFunc(queues, MessageQueue.Compare)
	for i, q := range queues {
		if want := ranks[q]; want != i && queues[want].Compare(q) != 0 {
			t.Errorf("%v is at %d, in Java's list at %d", q, i, want)
		}
	}
}

func TestCompareJavaGoesByUTF16(t *testing.T) {
	for _, tc := range []struct {
		name, a, b string
		want       int
	}{
		{"equal", "a", "a", 0},
		{"the shorter first", "a", "ab", -1},
		{"upper case first", "B", "a", -1},
		{"beyond U+FFFF before U+E000", "\U0001F600", "\uE000", -1},
		{"below U+D800 before beyond U+FFFF", "订", "\U0001F600", -1},
		{"shorter of non-ASCII first", "订", "订单", -1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := CompareJava(tc.a, tc.b); got != tc.want {
				t.Errorf("got %d", got)
			}
			if got := CompareJava(tc.b, tc.a); got != -tc.want {
				t.Errorf("the other way round: %d", got)
			}
		})
	}
}

func TestHashJavaIsStringHashCode(t *testing.T) {
	type vector struct {
		Text     *string
		HashCode int32
	}
	for _, v := range vectors[vector](t, "hashcodes.jsonl") {
		if v.Text != nil && HashJava(*v.Text) != v.HashCode {
			t.Errorf("hash of %q is %d, Java says %d", *v.Text, HashJava(*v.Text), v.HashCode)
		}
	}
}

func TestQueueInALog(t *testing.T) {
	if got := (MessageQueue{"t", "b", 3}).LogValue().String(); got != "t/b/3" {
		t.Errorf("got %s", got)
	}
}
