package infer_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mqscope/engine/capture/infer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
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

func TestWordsCountAndSayWhatWasNotSeen(t *testing.T) {
	one, two := []string{"a"}, []string{"a", "b"}
	for _, test := range []struct {
		fact infer.Fact
		want string
	}{
		{infer.MembersListed{Members: one}, "1 member: a"},
		{infer.MembersListed{Members: two}, "2 members: a b"},
		{infer.PullDone{Answered: true, Status: mq.Found, Offsets: []int64{4}, Next: 5, Max: 9}, "FOUND to the pull from 0 after 0s: 1 message, next 5, queue has [0, 9)"},
		{infer.OffsetsSeen{Min: -1, Max: 10}, "queue has [?, 10)"},
		{infer.OffsetsSeen{Min: 3, Max: -1}, "queue has [3, ?)"},
		{infer.Called{Request: -1, Answered: true, Code: protocol.Success}, "asked something that was not seen: SUCCESS"},
		{infer.Failed{Request: -1, Code: protocol.SystemError, Remark: "busy"}, "a request that was not seen was answered SYSTEM_ERROR: busy"},
	} {
		if got := infer.Words(test.fact); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
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

// TestKindAndSubjectAreThoseOfTheType compares with what reflection says: of each fact, its fields
// of these names.
func TestKindAndSubjectAreThoseOfTheType(t *testing.T) {
	for _, empty := range infer.Facts() {
		v := reflect.New(reflect.TypeOf(empty)).Elem()
		var want infer.Subject
		for _, field := range []struct {
			name string
			to   *string
		}{{"Client", &want.Client}, {"Group", &want.Group}, {"Topic", &want.Topic}} {
			if f := v.FieldByName(field.name); f.IsValid() {
				f.SetString("its " + field.name)
				*field.to = f.String()
			}
		}
		if f := v.FieldByName("Queue"); f.IsValid() {
			want.Queue = mq.MessageQueue{Topic: "of the queue", BrokerName: "b", QueueID: 3}
			f.Set(reflect.ValueOf(want.Queue))
			want.Topic = want.Queue.Topic
		}
		if got := infer.About(v.Interface()); got != want {
			t.Errorf("%T is about %+v, want %+v", empty, got, want)
		}
		kind := regexp.MustCompile("(.)([A-Z])").ReplaceAllString(v.Type().Name(), "$1-$2")
		if got := infer.Kind(empty); got != strings.ToLower(kind) {
			t.Errorf("%T is %q, want %q", empty, got, strings.ToLower(kind))
		}
	}
}
