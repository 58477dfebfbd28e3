package infer_test

import (
	"slices"
	"strings"
	"testing"

	"mqscope/engine/capture/infer"
)

// Each event of each capture has a kind that is listed, and words that say something.
func TestEventsHaveKindsAndWords(t *testing.T) {
	kinds, seen := infer.Kinds(), map[string]bool{}
	for _, name := range []string{
		"admin", "consume-directly", "lite", "pop", "produce", "pull", "push-broadcast", "push-concurrent", "push-orderly", "push-tags", "schedule",
	} {
		for _, e := range read(t, name).events {
			kind, words := infer.Kind(e.Fact), infer.Words(e.Fact)
			if !slices.Contains(kinds, kind) {
				t.Fatalf("%s: %q is not among the kinds", name, kind)
			}
			if words == "" || strings.HasPrefix(words, "{") || strings.Contains(words, "%!") {
				t.Fatalf("%s: %s says %q", name, kind, words)
			}
			seen[kind] = true
		}
	}
	for _, k := range kinds {
		if !seen[k] && !slices.Contains([]string{"no-commit", "unreadable", "broker-assigned", "deferred"}, k) {
			t.Errorf("no capture has %q", k)
		}
	}
}

func TestAboutFindsTheSubject(t *testing.T) {
	for _, e := range read(t, "push-concurrent").events {
		s := infer.About(e.Fact)
		switch f := e.Fact.(type) {
		case infer.PullDone:
			if s.Client != f.Client || s.Group != f.Group || s.Queue != f.Queue || s.Topic != f.Queue.Topic {
				t.Fatalf("%+v of %+v", s, f)
			}
		case infer.RouteSeen:
			if s.Topic != f.Topic || s.Client != "" || s.Queue.Topic != "" {
				t.Fatalf("%+v of %+v", s, f)
			}
		}
	}
}
