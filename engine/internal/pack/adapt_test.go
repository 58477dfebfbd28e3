package pack

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The shapes of two versions of a program: types of one name have to be in different functions.

func oldVersion() (any, *Codec) {
	type gone struct{ A, B int }
	type part struct {
		Name string
		Was  map[string][]gone
		N    int16
	}
	type event struct {
		Queue queue
		Cause error
		First *part
		Gone  gone
		Again *part
		Parts []part
		Of    any
		At    time.Time
		Wide  int64
	}
	first := &part{"p", map[string][]gone{"x": {{1, 2}}}, 3}
	c := New(event{}, gone{}, &part{}, queue{}).Errors("lost", errors.New("it is lost")).Errors("closed", errClosed)
	return event{
		queue{"T", "b", 1}, fmt.Errorf("x: %w", errClosed), first, gone{1, 2}, first,
		[]part{*first, {Name: "q"}}, first, time.Unix(5, 0), 40000,
	}, c
}

func newVersion() (*Codec, func(any) string) {
	type part struct {
		N    int
		Size uint32
		Name string
	}
	type event struct {
		Wide  int64
		Again *part
		Parts []part
		Fresh struct {
			List []int
			Kept int `pack:"-"`
		}
		Queue queue
		Cause error
		Of    any
	}
	c := New(queue{}, &part{}, event{}).Errors("closed", errClosed)
	return c, func(v any) string {
		e := v.(event)
		return fmt.Sprint(e.Wide, *e.Again, e.Parts, e.Fresh, e.Queue, e.Cause, errors.Is(e.Cause, errClosed), e.Of == any(e.Again))
	}
}

func TestAnotherVersionIsRead(t *testing.T) {
	value, theirs := oldVersion()
	src := theirs.Append(nil, &value)
	ours, show := newVersion()
	a, err := ours.Adapt(theirs.Describe())
	if err != nil {
		t.Fatal(err)
	}
	var got any
	rest, err := a.Decode(append(src, 9), &got)
	if err != nil || len(rest) != 1 {
		t.Fatal(err, rest)
	}
	want := "40000 {3 0 p} [{3 0 p} {0 0 q}] {[] 0} {T b 1} x: closed true true"
	if s := show(got); s != want {
		t.Errorf("\n got %s\nwant %s", s, want)
	}
}

func TestTheOwnDescriptionChangesNothing(t *testing.T) {
	c := codec()
	text := c.Describe(rich{}, []string{})
	a, err := c.Adapt(text)
	if err != nil {
		t.Fatal(err)
	}
	if text != c.Describe(rich{}, []string{}) {
		t.Error("the description is another one the second time")
	}
	var got rich
	src := c.Append(nil, full())
	if rest, err := a.Decode(src, &got); err != nil || len(rest) != 0 {
		t.Fatal(err)
	}
	if string(c.Append(nil, &got)) != string(src) {
		t.Error("it is another value")
	}
	var list []string
	if _, err := a.Decode(c.Append(nil, &[]string{"a"}), &list); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
}

func TestWhatDoesNotAgreeIsNamed(t *testing.T) {
	type part struct{ N int }
	type whole struct {
		List []part
		Any  any
	}
	c := New(part{})
	text := c.Describe(whole{})
	src := c.Append(nil, &whole{List: []part{{300}}, Any: part{}})
	for _, one := range []struct{ old, new, want string }{
		{"N:1", "N:1", ""},
		{"t int", "t string", "whole.List.N: string was written, here it is int"},
		{"t slice", "t pointer", "List: pointer was written, here it is slice"},
		{"part\" 0", "other\" 0", "other\" is not known"},
		{"r \"engine", "r \"motor", ""},
		{"pack.whole\"", "pack.old\"", "does not describe it"},
		{"pack 1", "pack 2", "another version"},
		{"N:1", "N:9", "number of no type"},
		{"t int", "t integer", "no kind"},
		{"t any", "t array 3 2", "type holds itself"},
		{"Any:", "List:", "two fields"},
		{"pack 1", "pack 1\nx", "line 2: unknown word"},
		{"part\" 0", "part 0", "no text in quotes"},
		{"t slice 0", "t slice", "number of no type"},
	} {
		changed := strings.ReplaceAll(text, one.old, one.new)
		if changed == text && one.want != "" {
			t.Fatalf("%q is not in\n%s", one.old, text)
		}
		a, err := c.Adapt(changed)
		if err == nil {
			var got whole
			_, err = a.Decode(src, &got)
		}
		if one.want == "" && err != nil || one.want != "" && (err == nil || !strings.Contains(err.Error(), one.want)) {
			t.Errorf("%s → %s: %v\n%s", one.old, one.new, err, changed)
		}
	}
}

func TestNumbersThatDoNotFit(t *testing.T) {
	c := New()
	for _, one := range []struct {
		from, to any
		fits     bool
	}{
		{ptr(int64(1) << 15), new(int16), false}, {ptr(int64(-1) << 15), new(int16), true}, {ptr(int64(1) << 31), new(int32), false},
		{ptr(uint64(255)), new(uint8), true}, {ptr(uint64(256)), new(uint8), false}, {ptr(uint64(1) << 16), new(uint16), false},
		{ptr(uint64(1) << 32), new(uint32), false}, {ptr(uint64(2)), new(bool), false}, {ptr(1e300), new(float32), false},
		{ptr(int64(1) << 31), new(atomic.Int32), false}, {ptr(uint64(1) << 32), new(atomic.Uint32), false},
		{ptr(uint64(math.MaxUint32)), new(atomic.Uint32), true}, {ptr("1.2.3"), new(netip.Addr), false},
		{&[]byte{timeSeconds, 0, 0x80, 0x94, 0xeb, 0xdc, 3}, new(time.Time), false}, {&[]byte{9}, new(time.Time), false},
	} {
		src := c.Append(nil, one.from)
		if b, ok := one.from.(*[]byte); ok {
			src = *b
		}
		if _, err := c.Decode(src, one.to); (err == nil) != one.fits {
			t.Errorf("%v as %T: %v", one.from, one.to, err)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// What was passed over is found again, and shared as it was.
func TestPointersIntoFieldsThatAreGone(t *testing.T) {
	type b struct{ N int }
	type a struct{ B, Other *b }
	old := func() ([]byte, string) {
		type whole struct {
			Gone []*a
			P    *b
			Q    *a
			R    *b
		}
		one := &a{&b{1}, &b{2}}
		c := New()
		return c.Append(nil, &whole{[]*a{one}, one.B, one, one.Other}), c.Describe(whole{})
	}
	type whole struct {
		P    *b
		Q    *a
		R    *b
		Zero int
	}
	src, text := old()
	c, err := New().Adapt(text)
	if err != nil {
		t.Fatal(err)
	}
	got := whole{Zero: 5, P: &b{7}}
	if _, err := c.Decode(src, &got); err != nil {
		t.Fatal(err)
	}
	if got.P.N != 1 || got.Q.B != got.P || got.Q.Other != got.R || got.R.N != 2 {
		t.Errorf("%+v %+v", got, got.Q)
	}
	if got.Zero != 0 {
		t.Error("a field that was not written is not zero")
	}
}

func TestAWidthMayDiffer(t *testing.T) {
	text := New().Describe(struct{ N int64 }{})
	c, err := New().Adapt(strings.ReplaceAll(text, "struct { N int64 }", "struct { N int8 }"))
	if err != nil {
		t.Fatal(err)
	}
	for n, fits := range map[int64]bool{127: true, -128: true, 128: false, -129: false} {
		var got struct{ N int8 }
		_, err := c.Decode(New().Append(nil, &struct{ N int64 }{n}), &got)
		if (err == nil) != fits || fits && int64(got.N) != n {
			t.Errorf("%d became %d: %v", n, got.N, err)
		}
		if !fits && !strings.Contains(err.Error(), ".N: ") {
			t.Errorf("%v names no field", err)
		}
	}
}
