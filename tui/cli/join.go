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
)

const (
	previewWithin = 10 * time.Second
	membersShown  = 10
)

var errNotJoined = errors.New("not joined: the group name was not typed")

// askToJoin shows who is in the group already and what joining would move, and goes on only
// when the person types the group's name. An empty group, or a cluster that can not be asked
// yet, needs no question: joining itself says what is wrong.
func askToJoin(ctx context.Context, p Process, f *consumeFlags, live *engine.Live) error {
	look, cancel := context.WithTimeout(ctx, previewWithin)
	defer cancel()
	join, err := live.Preview(look)
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
	fmt.Fprintf(w, "Joining moves %d of %d queues (%d to this member), if all use the same strategy.\n", j.Moves, j.Queues, j.Gains)
}

// readLine reads one line, or ends with ctx.
func readLine(ctx context.Context, r io.Reader) (string, error) {
	lines := readLines(ctx, io.LimitReader(r, 4096))
	select {
	case l := <-lines:
		if l.err != nil && !errors.Is(l.err, io.EOF) {
			return "", l.err
		}
		return strings.TrimSpace(string(l.text)), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
