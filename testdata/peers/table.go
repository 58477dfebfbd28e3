package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// figure is one thing that was measured.
type figure struct {
	title  string // what, in which mode, in which unit
	value  float64
	digits int  // after the point
	more   bool // is better
}

func (f figure) text(v float64) string { return fmt.Sprintf("%.*f", f.digits, v) }

// figures are what a report tells for its row. The phases say which latencies belong to
// which rate.
func figures(row, mode string, r report, phases []phase) []figure {
	switch row {
	case "catchup":
		list := []figure{
			{title: "catch-up, " + mode + ": CPU ns a message", value: r.CPU},
			{title: "catch-up, " + mode + ": messages/s", value: r.PerSecond(), more: true},
		}
		if r.Objects > 0 { // the JVM does not tell
			list = append(list, figure{title: "catch-up, " + mode + ": objects a message", value: r.Objects, digits: 2})
		}
		return list
	case "latency":
		var list []figure
		rest := r.Latencies
		for _, p := range phases {
			sorted := slices.Sorted(slices.Values(rest[:p.count]))
			rest = rest[p.count:]
			title := fmt.Sprintf("store to handler, %s, %d/s: ", mode, p.rate)
			list = append(list,
				figure{title: title + "p50 ms", value: ms(percentile(sorted, 50)), digits: 2},
				figure{title: title + "p99 ms", value: ms(percentile(sorted, 99)), digits: 2},
				figure{title: title + "max ms", value: ms(percentile(sorted, 100)), digits: 2})
		}
		return list
	case "start":
		return []figure{{title: "start to first message, " + mode + ": ms", value: r.StartMs, digits: 1}}
	}
	return []figure{{title: "idle, " + mode + ": % of a core", value: r.Idle, digits: 2}}
}

func ms(ns int64) float64 { return float64(ns) / 1e6 }

// percentile is the smallest of sorted that p per cent of them are not above: the nearest
// rank. sorted must not be empty.
func percentile(sorted []int64, p float64) int64 {
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

// results are all figures of a run in the order in which their kinds came first.
type results struct {
	kinds  []figure
	values map[string]map[string][]float64 // by title and contestant
}

func (r *results) add(who string, f figure) {
	if r.values == nil {
		r.values = map[string]map[string][]float64{}
	}
	if r.values[f.title] == nil {
		r.values[f.title] = map[string][]float64{}
		r.kinds = append(r.kinds, f)
	}
	r.values[f.title][who] = append(r.values[f.title][who], f.value)
}

// print writes a Markdown table: for each contestant the median and the range and, for all
// but the first, how many times better the first one's median is.
func (r *results) print(w io.Writer, who []string) {
	head, line := []string{""}, []string{"---"}
	for n, name := range who {
		head, line = append(head, name), append(line, "---:")
		if n > 0 {
			head, line = append(head, "times"), append(line, "---:")
		}
	}
	row := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	row(head)
	row(line)
	for _, f := range r.kinds {
		values := r.values[f.title]
		cells := []string{f.title}
		for n, name := range who {
			cells = append(cells, f.cell(values[name]))
			if n > 0 {
				cells = append(cells, f.times(values[who[0]], values[name]))
			}
		}
		row(cells)
	}
}

// cell is the median, and the range if there is one.
func (f figure) cell(values []float64) string {
	if len(values) == 0 {
		return "–"
	}
	least, mid, most := spread(values)
	if len(values) == 1 {
		return f.text(mid)
	}
	return fmt.Sprintf("%s (%s to %s)", f.text(mid), f.text(least), f.text(most))
}

// times is how many times better ours is than theirs.
func (f figure) times(ours, theirs []float64) string {
	if len(ours) == 0 || len(theirs) == 0 {
		return "–"
	}
	_, a, _ := spread(ours)
	_, b, _ := spread(theirs)
	if !f.more {
		a, b = b, a
	}
	if b == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", a/b)
}

// spread returns the least, the median and the most of at least one value.
func spread(values []float64) (least, mid, most float64) {
	v := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	mid = v[len(v)/2]
	if len(v)%2 == 0 {
		mid = (v[len(v)/2-1] + mid) / 2
	}
	return v[0], mid, v[len(v)-1]
}
