package picture_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"mqscope/engine/capture"
	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

// liar makes events that no capture has: any field has any value.
type liar struct {
	*rand.Rand
	at time.Time
}

func pick[T any](l *liar, of ...T) T { return of[l.IntN(len(of))] }

func (l *liar) text() string {
	return pick(l, "a", "b", "g\x1b[2J", "[10.0.0.1:9]", "x\ny", "\u202egnp", "", strings.Repeat("long ", 400))
}

func (l *liar) number() int64 {
	return pick(l, 0, 1, 2, 3, 10, 1000, -1, math.MaxInt64, math.MinInt64, l.Int64N(100))
}

func (l *liar) queue() mq.MessageQueue {
	return mq.MessageQueue{Topic: pick(l, "t", "%RETRY%g", "\x1b]0;x\a"), BrokerName: pick(l, "b1", "b2", ""), QueueID: pick[int32](l, 0, 1, 2, -1, math.MaxInt32)}
}

// fill gives a field some value.
func (l *liar) fill(v reflect.Value) {
	switch v.Interface().(type) {
	case mq.MessageQueue:
		v.Set(reflect.ValueOf(l.queue()))
		return
	case time.Time:
		v.Set(reflect.ValueOf(l.at.Add(-time.Duration(l.IntN(100)) * time.Second)))
		return
	case mq.PullStatus:
		v.SetUint(uint64(l.IntN(5)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(l.text())
	case reflect.Bool:
		v.SetBool(l.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if n := l.number(); !v.OverflowInt(n) {
			v.SetInt(n)
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(l.IntN(3)))
	case reflect.Slice:
		s := reflect.MakeSlice(v.Type(), pick(l, 0, 1, 3, 100), 100)
		for i := range s.Len() {
			l.fill(s.Index(i))
		}
		v.Set(s)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				l.fill(v.Field(i))
			}
		}
	}
}

func (l *liar) fact() infer.Fact {
	all := []infer.Fact{
		infer.Opened{}, infer.Closed{}, infer.ClientKnown{}, infer.MemberSeen{}, infer.Beat{}, infer.MemberLeft{}, infer.MembersChanged{},
		infer.MembersListed{}, infer.RouteSeen{}, infer.BrokerAssigned{}, infer.Assigned{}, infer.Released{}, infer.PullSent{},
		infer.PullDone{}, infer.Committed{}, infer.NoCommit{}, infer.OffsetsSeen{}, infer.Stored{}, infer.Locked{}, infer.Unlocked{},
		infer.SentBack{}, infer.Popped{}, infer.Acked{}, infer.Deferred{}, infer.ResetOrdered{}, infer.Called{}, infer.Failed{},
		infer.Unreadable{}, infer.Noted{Note: capture.Note{}},
	}
	v := reflect.New(reflect.TypeOf(all[l.IntN(len(all))])).Elem()
	l.fill(v)
	f := v.Interface()
	if p, ok := f.(infer.PullDone); ok && l.IntN(2) == 0 { // else hardly any pull goes well
		p.Answered, p.Code, p.Status = true, protocol.Success, mq.Found
		return p
	}
	return f
}

// FuzzPicture draws what any events come to.
func FuzzPicture(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(seed, 200)
	}
	f.Fuzz(func(t *testing.T, seed uint64, n int) {
		l := &liar{Rand: rand.New(rand.NewPCG(seed, 1)), at: time.Unix(1_700_000_000, 0)}
		w := newWorld()
		for i := range min(n, 600) {
			l.at = l.at.Add(pick(l, 0, time.Millisecond, time.Second, time.Minute, 1000*time.Hour))
			w.step(infer.Event{Seq: uint64(i + 1), At: l.at, Conn: l.IntN(4), Fact: l.fact()})
			if i%97 == 0 {
				w = w.clone()
				for _, p := range w.pictures(l.at) {
					honest(t, p)
				}
			}
		}
	})
}
