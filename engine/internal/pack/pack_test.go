package pack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type level uint8

type queue struct {
	Topic, Broker string
	ID            int32
}

type doer interface{ do() int }

type add struct{ a, b int }

func (a add) do() int { return a.a + a.b }

type double struct{ n int }

func (d *double) do() int { return 2 * d.n }

type fault struct {
	Code int
	Err  error
	Log  func() `pack:"-"`
}

func (f *fault) Error() string { return fmt.Sprintf("code %d", f.Code) }
func (f *fault) Unwrap() error { return f.Err }

var errClosed = errors.New("closed")

// node can go in circles.
type node struct {
	name        string
	left, right *node
	more        []*node
}

type inner struct {
	x, y int16
	_    int
}

// rich has a field of everything that is kept.
type rich struct {
	B       bool
	I       int
	I8      int8
	I16     int16
	I32     int32
	I64     int64
	u       uint
	u8      level
	u16     uint16
	u32     uint32
	u64     uint64
	f32     float32
	f64     float64
	s       string
	bytes   []byte `pack:"body"`
	list    []queue
	empties []struct{}
	three   [3]inner
	hash    [4]byte
	names   map[string]string `pack:"properties"`
	offsets map[queue]int64
	deep    map[string]map[int32][]string
	set     map[string]struct{}
	at      time.Time
	took    time.Duration
	err     error
	event   any
	doer    doer
	addr    netip.Addr
	host    netip.AddrPort
	p       *inner
	root    *node
	byName  map[string]*node
	locked  atomic.Bool
	a32     atomic.Int32
	a64     atomic.Int64
	au32    atomic.Uint32
	au64    atomic.Uint64
	since   atomic.Pointer[time.Time]
	Mu      sync.Mutex
	RW      sync.RWMutex
	Log     func()    `pack:"-"`
	Wake    chan int  `pack:"-"`
	Once    sync.Once `pack:"-"`
	inner
}

func codec() *Codec {
	return New(queue{}, add{}, &double{}, &fault{}, "", node{}, &node{}).Errors("closed", errClosed)
}

func full() *rich {
	r := &rich{
		B: true, I: -5, I8: -128, I16: 300, I32: math.MinInt32, I64: math.MaxInt64,
		u: 7, u8: 200, u16: 65535, u32: 1 << 31, u64: math.MaxUint64, f32: 1.5, f64: math.Pi,
		s: "text", bytes: []byte{0, 1, 2}, list: []queue{{"T", "b", 3}, {}}, empties: make([]struct{}, 3),
		three: [3]inner{{x: 1}, {y: 2}, {x: -3}}, hash: [4]byte{1, 200, 3, 4},
		names:   map[string]string{"b": "2", "a": "1", "": ""},
		offsets: map[queue]int64{{"T", "b", 1}: 9, {"T", "a", 1}: 8},
		deep:    map[string]map[int32][]string{"x": {1: {"a"}, -1: nil}, "y": nil, "z": {}},
		set:     map[string]struct{}{"one": {}, "two": {}},
		at:      time.Unix(1700000000, 123456789).UTC(), took: time.Second,
		err:   fmt.Errorf("pull: %w", errClosed),
		event: queue{"T", "b", 4}, doer: &double{4}, addr: netip.MustParseAddr("::1"),
		host: netip.MustParseAddrPort("10.0.0.1:10911"), p: &inner{x: 4}, inner: inner{x: 1, y: 2},
	}
	n := &node{name: "n"}
	n.left, n.right = n, &node{name: "m", left: n}
	r.root = n
	r.byName = map[string]*node{"n": n, "m": n.right}
	r.locked.Store(true)
	r.a32.Store(-3)
	r.a64.Store(-4)
	r.au32.Store(5)
	r.au64.Store(6)
	r.since.Store(&r.at)
	return r
}

func TestWhatIsPackedComesBack(t *testing.T) {
	c := codec()
	for name, v := range map[string]*rich{"full": full(), "zero": {}} {
		src := c.Append([]byte("before"), v)
		if !bytes.HasPrefix(src, []byte("before")) {
			t.Fatal("what was there is gone")
		}
		src = append(src[len("before"):], "behind"...)
		var got rich
		rest, err := c.Decode(src, &got)
		if err != nil || string(rest) != "behind" {
			t.Fatalf("%s: %v, rest %q", name, err, rest)
		}
		want := *full() //nolint:govet // a copy of a lock that nobody holds
		if name == "zero" {
			want = rich{} //nolint:govet // as above
		} else if got.err.Error() != want.err.Error() || !errors.Is(got.err, errClosed) {
			t.Errorf("error %v", got.err)
		}
		if name == "full" && !got.since.Load().Equal(want.at) {
			t.Errorf("since %v", got.since.Load())
		}
		got.err, want.err = nil, nil
		got.since.Store(nil)
		want.since.Store(nil)
		if !reflect.DeepEqual(&got, &want) {
			t.Errorf("%s:\n got %+v\nwant %+v", name, &got, &want)
		}
	}
}

func TestEqualValuesGiveEqualBytes(t *testing.T) {
	c := codec()
	first := c.Append(nil, full())
	for range 50 {
		if again := c.Append(nil, full()); !bytes.Equal(first, again) {
			t.Fatal("not the same bytes")
		}
	}
	other := full()
	other.deep["x"][1][0] = "b"
	if bytes.Equal(first, c.Append(nil, other)) {
		t.Error("another value has the same bytes")
	}
}

func TestValuesOfMapsAreTheirOwn(t *testing.T) {
	c := codec()
	from := map[string]*node{"a": {name: "1"}, "b": {name: "2"}}
	var got map[string]*node
	if _, err := c.Decode(c.Append(nil, &from), &got); err != nil {
		t.Fatal(err)
	}
	if got["a"].name != "1" || got["b"].name != "2" {
		t.Errorf("%+v %+v", got["a"], got["b"])
	}
}

// endless wraps itself.
type endless struct{}

func (*endless) Error() string   { return "endless" }
func (e *endless) Unwrap() error { return e }

func TestAnErrorThatWrapsItself(t *testing.T) {
	var err, got error = &endless{}, nil
	c := codec()
	if _, fault := c.Decode(c.Append(nil, &err), &got); fault != nil || got.Error() != "endless" {
		t.Errorf("%v, %v", got, fault)
	}
}

func TestPointersStayShared(t *testing.T) {
	c := codec()
	n := &node{name: "top"}
	n.left = n
	n.more = []*node{{name: "x"}, n}
	n.right = n.more[0]
	var got node
	if _, err := c.Decode(c.Append(nil, n), &got); err != nil {
		t.Fatal(err)
	}
	if got.left != &got || got.more[1] != &got || got.right != got.more[0] || got.right.name != "x" {
		t.Errorf("%+v", got)
	}
}

func TestDecodeInPlaceKeepsWhatIsTagged(t *testing.T) {
	type part struct {
		n   int
		log func() int `pack:"-"`
	}
	type whole struct {
		a, b *part
		list []part
		any  any
	}
	c := New(&part{})
	src := c.Append(nil, &whole{a: &part{n: 1}, b: &part{n: 2}, list: []part{{n: 3}}, any: &part{n: 4}})
	shared := &part{log: func() int { return 7 }}
	held := &part{log: func() int { return 8 }}
	got := whole{a: shared, b: shared, any: held}
	if _, err := c.Decode(src, &got); err != nil {
		t.Fatal(err)
	}
	if got.a != shared || got.a.n != 1 || got.a.log() != 7 {
		t.Error("the part that was there is not decoded in place")
	}
	if got.b == shared || got.b.n != 2 {
		t.Error("two parts were written, one is there")
	}
	if got.any != any(held) || held.n != 4 || held.log() != 8 {
		t.Error("what the interface held is not decoded in place")
	}
}

func TestAnAtomicPointerIsNotWrittenThrough(t *testing.T) {
	type whole struct{ p atomic.Pointer[queue] }
	c := New()
	var from, to whole
	from.p.Store(&queue{Topic: "new"})
	published := &queue{Topic: "old"}
	to.p.Store(published)
	if _, err := c.Decode(c.Append(nil, &from), &to); err != nil {
		t.Fatal(err)
	}
	if published.Topic != "old" || to.p.Load().Topic != "new" {
		t.Error("readers of the old value see the new one")
	}
}

func TestErrors(t *testing.T) {
	c := codec()
	deep := &fault{Code: 3, Err: io.EOF}
	for _, err := range []error{
		nil, io.EOF, context.DeadlineExceeded, errClosed, errors.New("unknown"), deep,
		fmt.Errorf("a: %w", fmt.Errorf("b: %w", errClosed)),
		fmt.Errorf("pull: %w", deep),
		errors.Join(errors.New("x"), errClosed, deep),
		fmt.Errorf("%w and %w", errors.New("x"), errors.New("y")),
		(*fault)(nil),
	} {
		var got error
		src := c.Append(nil, &err)
		if _, fault := c.Decode(src, &got); fault != nil {
			t.Fatal(fault)
		}
		if f, ok := err.(*fault); ok && f == nil {
			if g, ok := got.(*fault); !ok || g != nil {
				t.Errorf("a nil fault became %#v", got)
			}
			continue
		}
		if fmt.Sprint(got) != fmt.Sprint(err) {
			t.Errorf("%v became %v", err, got)
		}
		for _, s := range []error{io.EOF, errClosed, context.DeadlineExceeded} {
			if errors.Is(err, s) != errors.Is(got, s) {
				t.Errorf("%v: Is %v: %v", err, s, errors.Is(got, s))
			}
		}
		a, okA := errors.AsType[*fault](err)
		b, okB := errors.AsType[*fault](got)
		if okA != okB || okA && a.Code != b.Code {
			t.Errorf("%v: As: %v %v", err, a, b)
		}
		if again := c.Append(nil, &got); !bytes.Equal(again, src) {
			t.Errorf("%v: other bytes the second time", err)
		}
	}
}

func TestTimes(t *testing.T) {
	c := New()
	for _, at := range []time.Time{
		{}, time.Unix(0, 0).UTC(), time.Unix(0, -1).UTC(), time.Now(), time.Now().UTC(), time.Time{}.Local(),
		time.Date(9999, 1, 1, 0, 0, 0, 5, time.UTC), time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(-9999, 1, 1, 0, 0, 0, 0, time.Local),
		time.Unix(9e9, 1).UTC(), time.Unix(-9e9, 999999999).UTC(), time.Unix(math.MaxInt64/2, 5).UTC(),
	} {
		var got time.Time
		if _, err := c.Decode(c.Append(nil, &at), &got); err != nil {
			t.Fatal(err)
		}
		if !got.Equal(at) || got.Location() != at.Location() || got.IsZero() != at.IsZero() {
			t.Errorf("%v became %v", at, got)
		}
	}
	var got time.Time
	at := time.Now().In(time.FixedZone("x", 3600))
	if _, err := c.Decode(c.Append(nil, &at), &got); err != nil || !got.Equal(at) || got.Location() != time.UTC {
		t.Errorf("%v became %v, %v", at, got, err)
	}
}

type struct2 struct {
	n     int
	twice int `pack:"-"`
}

func (s *struct2) Unpacked() { s.twice = 2 * s.n }

func TestUnpackedIsCalled(t *testing.T) {
	type whole struct {
		a struct2
		b *struct2
		c []struct2
	}
	c := New()
	var got whole
	if _, err := c.Decode(c.Append(nil, &whole{struct2{n: 1}, &struct2{n: 2}, []struct2{{n: 3}}}), &got); err != nil {
		t.Fatal(err)
	}
	if got.a.twice != 2 || got.b.twice != 4 || got.c[0].twice != 6 {
		t.Errorf("%+v %+v", got, got.b)
	}
}

func TestWhatCanNotBeKeptIsNamed(t *testing.T) {
	type part struct{ Wake chan int }
	type whole struct{ Parts map[string][]part }
	type once struct{ Once sync.Once }
	type keyed struct{ M map[*part]int }
	type odd struct {
		N int `pack:"two words"`
	}
	c := New()
	if err := c.Check(queue{}, rich{}); err != nil {
		t.Error(err)
	}
	for want, v := range map[string]any{
		"part.Wake": whole{}, "once.Once": once{}, "keyed.M": keyed{}, "odd.N": odd{}, "chan int": make(chan int),
	} {
		for range 2 {
			if err := c.Check(v); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not name %s", err, want)
			}
		}
	}
	defer func() {
		if err, _ := recover().(*Error); err == nil || err.Where != "engine/internal/pack.part.Wake" {
			t.Errorf("panic: %v", err)
		}
	}()
	c.Append(nil, &whole{})
}

func TestAnUnregisteredTypeIsNamed(t *testing.T) {
	type whole struct{ event any }
	defer func() {
		if err, _ := recover().(*Error); err == nil || !strings.Contains(err.Error(), "whole.event") || !strings.Contains(err.Error(), "pack.queue") {
			t.Errorf("panic: %v", err)
		}
	}()
	New().Append(nil, &whole{event: queue{}})
}
