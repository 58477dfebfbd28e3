package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"mqscope/engine/recording"
	"mqscope/engine/replay/verify"
)

// errNotAsRecorded ends mqscope replay --verify where the report says what is not as it was.
var errNotAsRecorded = errors.New("it is not all as it was recorded")

// verified plays all of a recording and prints whether it does what was recorded.
func verified(ctx context.Context, out io.Writer, file string, asJSON bool) error {
	// What is played is soon garbage, and little of it lives at a time: so memory stays small all the same.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	r, err := verify.File(ctx, file, 0)
	if _, named := errors.AsType[*recording.FileError](err); err != nil && !named {
		err = fmt.Errorf("%s: %w", file, err)
	}
	if err != nil {
		return err
	}
	if asJSON {
		err = printVerifiedJSON(out, r)
	} else {
		err = printVerified(out, file, r)
	}
	if err == nil && !r.Whole() {
		err = fmt.Errorf("%s: %w", file, errNotAsRecorded)
	}
	return err
}

func printVerified(to io.Writer, file string, r *verify.Report) error {
	out := bufio.NewWriter(to)
	fmt.Fprintf(out, "%s: %s played again, %s compared\n", clean(file), count(int(r.Events), "event"), count(r.Checkpoints, "checkpoint"))
	for _, why := range faults(r) {
		fmt.Fprintln(out, clean(why))
	}
	if r.End != recording.Closed {
		fmt.Fprintf(out, "the recording ended early, %v: what came behind its last whole block is not in it\n", r.End)
	}
	switch {
	case !r.Whole() && nothingLost(r):
		fmt.Fprintln(out, "all events are there, and none departs from what was recorded")
	case !r.Whole():
	case r.Checkpoints > 0:
		fmt.Fprintln(out, "all of it is as it was recorded")
	default: // one part, or of another version, or something was taken out of it
		fmt.Fprintln(out, "nothing in it departs from what was recorded")
	}
	return out.Flush()
}

// nothingLost tells of a damaged file that what is damaged is none of its records.
func nothingLost(r *verify.Report) bool {
	return r.Departed == "" && r.Stopped == nil && r.File.Chained && r.File.Cut == nil && r.File.More == 0 &&
		!slices.ContainsFunc(r.File.Damages, func(d recording.Damage) bool { return d.Missing > 0 })
}

// faults are what is not as it was recorded.
func faults(r *verify.Report) (list []string) {
	if r.Departed != "" {
		list = append(list, "departs from what was recorded at "+r.Departed)
	}
	if r.Stopped != nil {
		list = append(list, "can not be played on: "+r.Stopped.Error())
	}
	for _, d := range r.File.Damages {
		list = append(list, "the file is "+d.Error())
	}
	if r.File.More > 0 {
		list = append(list, fmt.Sprintf("it is damaged at %s more", count(r.File.More, "place")))
	}
	if r.File.Cut != nil {
		list = append(list, "the file is "+r.File.Cut.Error())
	}
	if !r.File.Chained {
		list = append(list, fmt.Sprintf("the file was changed: from record %d on its records are not those that were written", r.File.Broken))
	}
	return list
}

// verifiedJSON is the report for programs.
type verifiedJSON struct {
	Events      uint64   `json:"events"`
	Checkpoints int      `json:"checkpoints_compared"`
	Whole       bool     `json:"as_recorded"`
	End         string   `json:"end"`
	DepartedAt  uint64   `json:"departed_at,omitempty"`
	Faults      []string `json:"faults"`
}

func printVerifiedJSON(out io.Writer, r *verify.Report) error {
	j := verifiedJSON{r.Events, r.Checkpoints, r.Whole(), r.End.String(), r.At, faults(r)}
	if j.Faults == nil {
		j.Faults = []string{}
	}
	line, err := json.Marshal(j)
	if err != nil {
		return err
	}
	_, err = jsonText{out}.Write(append(line, '\n'))
	return err
}
