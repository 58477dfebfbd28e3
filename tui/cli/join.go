package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/term"

	"mqscope/engine"
	"mqscope/engine/lifecycle"
)

const (
	previewWithin = 10 * time.Second
	membersShown  = 10
	maxAnswer     = 4096 // bytes of a typed line
)

var errNotJoined = errors.New("not joined: the group name was not typed")

// previewer can tell what joining its group would change.
type previewer interface {
	Preview(ctx context.Context) (engine.Join, error)
}

// askToJoin shows who is in the group already and what joining would move, and goes on only
// when the person types the group's name. An empty group needs no question. Without a person,
// or when the cluster can not be asked, nothing is joined.
func askToJoin(ctx context.Context, p Process, f *consumeFlags, member previewer) error {
	look, cancel := context.WithTimeout(ctx, previewWithin)
	defer cancel()
	join, err := member.Preview(look)
	if err != nil {
		return fmt.Errorf("%w: is the cluster up? --join-existing goes on without this look", err)
	}
	if len(join.Members) == 0 {
		return nil
	}
	printJoin(p.Err, f.group, join)
	if !term.IsTerminal(int(p.In.Fd())) {
		return usage("group %s has members: give --join-existing to join it without a question", f.group)
	}
	fmt.Fprint(p.Err, "Type the group name to join: ")
	typed, err := readLine(ctx, p.In)
	if err != nil {
		return err
	}
	if typed != f.group {
		return errNotJoined
	}
	return nil
}

func printJoin(w io.Writer, group string, j engine.Join) {
	fmt.Fprintf(w, "Group %s has %s:\n", clean(group), count(len(j.Members), "member"))
	for i, id := range j.Members {
		if i == membersShown {
			fmt.Fprintf(w, "  and %d more\n", len(j.Members)-membersShown)
			break
		}
		fmt.Fprintf(w, "  %s\n", clean(id))
	}
	for _, d := range j.Differs {
		switch {
		case d.Ours == "":
			fmt.Fprintf(w, "They subscribe to %s as well: queues of it that are allotted to this member would be read by nobody.\n", clean(d.Topic))
		case d.Theirs == "":
			fmt.Fprintf(w, "They do not subscribe to %s: queues of it that are allotted to them would be read by nobody.\n", clean(d.Topic))
		default:
			fmt.Fprintf(w, "They subscribe to %s with %s, not %s: brokers would filter for all by what was subscribed to last.\n", clean(d.Topic), clean(d.Theirs), clean(d.Ours))
		}
	}
	fmt.Fprintf(w, "Joining moves %d of %d queues (%d to this member), if all use the same strategy.\n", j.Moves, j.Queues, j.Gains)
}

// readLine reads one line and not a byte more, since what follows belongs to the screen; it
// ends with ctx. A read can not be ended, so the goroutine that waits in one is left to the
// end of the process, which follows.
func readLine(ctx context.Context, r io.Reader) (string, error) {
	got := make(chan inputLine, 1)
	reader, _ := lifecycle.NewGroup(context.WithoutCancel(ctx))
	reader.Go("prompt", func(context.Context) error {
		var l inputLine
		for one := make([]byte, 1); len(l.text) < maxAnswer; {
			n, err := r.Read(one)
			if n == 1 && one[0] == '\n' {
				break
			}
			l.text = append(l.text, one[:n]...)
			if err != nil {
				l.err = err
				break
			}
		}
		got <- l
		return nil
	})
	select {
	case l := <-got:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", l.err
		}
		return strings.TrimSpace(string(l.text)), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
