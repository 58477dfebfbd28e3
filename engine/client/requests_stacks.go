package client

import (
	"bytes"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// A dump stops the world and is read whole: maxStackBytes bounds its size, stacksPause how
	// often one is made. Whoever asks sooner gets the last one.
	maxStackBytes = 1 << 20
	stacksPause   = time.Second
)

// stacks dumps the goroutines of the process for tools (Java: UtilAll.jstack). A dump has the
// names of functions and files and says what each goroutine waits for; it has no arguments,
// which may hold pieces of data, and no folders of the machine that built the program.
type stacks struct {
	mu   sync.Mutex
	at   time.Time
	text string
}

// dump returns a dump that is at most stacksPause old.
func (s *stacks) dump(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.text == "" || now.Sub(s.at) >= stacksPause {
		raw := make([]byte, maxStackBytes)
		n := runtime.Stack(raw, true)
		s.at, s.text = now, tidyStacks(raw[:n], n == len(raw))
	}
	return s.text
}

// tidyStacks joins goroutines that stand at the same place, in the order of their first.
func tidyStacks(raw []byte, cut bool) string {
	type place struct {
		state, frames string
		ids           []string
	}
	var places []*place
	known := map[string]*place{}
	for text := range strings.SplitSeq(string(bytes.TrimSpace(raw)), "\n\n") {
		id, state, frames := readStack(text)
		if id == "" {
			continue // a part of one that did not fit
		}
		p := known[state+frames]
		if p == nil {
			p = &place{state: state, frames: frames}
			known[state+frames] = p
			places = append(places, p)
		}
		p.ids = append(p.ids, id)
	}
	var out strings.Builder
	for _, p := range places {
		fmt.Fprintf(&out, "goroutine %s [%s]", p.ids[0], p.state)
		if n := len(p.ids) - 1; n > 0 {
			fmt.Fprintf(&out, " and %d more: %s", n, strings.Join(p.ids[1:], " "))
		}
		out.WriteString("\n" + p.frames + "\n")
	}
	if cut {
		fmt.Fprintf(&out, "cut off after %d KiB\n", maxStackBytes>>10)
	}
	return out.String()
}

// readStack takes one goroutine of a dump apart: "goroutine 1 [select, 2 minutes]:", then two
// lines a frame, the function with its arguments and the file.
func readStack(text string) (id, state, frames string) {
	head, body, _ := strings.Cut(text, "\n")
	head, found := strings.CutPrefix(head, "goroutine ")
	id, state, ok := strings.Cut(strings.TrimSuffix(head, "]:"), " [")
	if !found || !ok {
		return "", "", ""
	}
	var out strings.Builder
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n")
		if file, ok := strings.CutPrefix(line, "\t"); ok {
			file, _, _ = strings.Cut(file, " ")
			out.WriteString("\t" + path.Join(path.Base(path.Dir(file)), path.Base(file)) + "\n")
			continue
		}
		if i := strings.LastIndexByte(line, '('); i > 0 && !strings.HasPrefix(line, "created by ") {
			line = line[:i]
		}
		out.WriteString("  " + line + "\n")
	}
	return id, state, out.String()
}
