package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mqscope/engine/snapshot"
)

// differing are the settings that two recordings do not share: those of their headers and those of
// the group as it was at the end.
func differing(a, b Track) ([]Setting, error) {
	ofA, ofB := headerOf(a), headerOf(b)
	for _, side := range []struct {
		t  Track
		to map[string]string
	}{{a, ofA}, {b, ofB}} {
		if err := side.t.Seek(side.t.Info().Total); err != nil {
			return compare(ofA, ofB), err
		}
		groupOf(side.t.Picture(), side.to)
	}
	return compare(ofA, ofB), nil
}

func compare(a, b map[string]string) (out []Setting) {
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if a[name] != b[name] {
			out = append(out, Setting{name, a[name], b[name]})
		}
	}
	return out
}

func headerOf(t Track) map[string]string {
	h := t.Info().Header
	return map[string]string{
		"program": h.Program, "source": h.Source, "cluster": h.Cluster, "bodies": h.Bodies,
	}
}

// groupOf adds what a picture says of how the group is set up. What is not known is left out.
func groupOf(p *snapshot.Snapshot, to map[string]string) {
	g := &p.Group
	set := func(name string, v any) {
		if text := fmt.Sprint(v); text != "" && text != "0" && text != "0s" {
			to[name] = text
		}
	}
	set("group", g.Name)
	set("kind", g.Kind)
	set("orderly", g.Orderly)
	set("model", g.Model)
	set("from", g.From)
	set("strategy", g.Strategy)
	set("client version", g.Version)
	set("threads", g.Threads.Max)
	set("limit: messages of a queue", g.Limits.CountPerQueue)
	set("limit: MiB of a queue", g.Limits.MiBPerQueue)
	set("limit: span", g.Limits.Span)
	set("pull batch", g.Limits.PullBatch)
	set("consume batch", g.Limits.ConsumeBatch)
	set("max reconsume", g.Limits.MaxReconsume)
	set("pull interval", g.Limits.PullInterval)
	set("consume timeout", g.Limits.ConsumeTimeout)
	set("persist interval", g.Limits.PersistInterval)
	subs := make([]string, len(g.Subscriptions))
	for i, s := range g.Subscriptions {
		subs[i] = ownTopics(s.Topic, g.Name) + ":" + s.Expression
	}
	set("subscriptions", strings.Join(subs, " "))
}
