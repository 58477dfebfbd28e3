package pack_test

import (
	"errors"
	"fmt"

	"mqscope/engine/internal/pack"
)

var errFull = errors.New("full")

type stored struct {
	Topic string
	Next  int64
	Err   error
	Log   func(string) `pack:"-"`
}

func Example() {
	c := pack.New(stored{}).Errors("full", errFull)
	var event any = stored{Topic: "T", Next: 7, Err: fmt.Errorf("store: %w", errFull)}
	src := c.Append(nil, &event)

	// Another version of the program has the description, and types of its own.
	later, err := c.Adapt(c.Describe())
	if err != nil {
		panic(err)
	}
	var got any
	if _, err := later.Decode(src, &got); err != nil {
		panic(err)
	}
	fmt.Println(got.(stored).Next, got.(stored).Err, errors.Is(got.(stored).Err, errFull))
	// Output: 7 store: full true
}
