package events

import (
	"fmt"
	"strings"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// Terms are the beginnings of terms that a filter understands, for completion.
func Terms() []string {
	return []string{
		"level>=warn", "level>=info", "level:err", "src:pull", "src:flow", "src:rebalance", "src:offset", "src:consume",
		"src:retry", "src:lock", "src:remote", "src:engine", "queue:", "where:", "time:12:00:00..12:01:00",
	}
}

type predicate func(*snapshot.Entry) bool

// compile turns a filter into one predicate. A term that is not understood is reported and
// left out.
func compile(text string) (predicate, error) {
	var all []predicate
	var bad error
	for _, t := range views.ParseFilter(text) {
		p, err := compileTerm(t)
		if err != nil {
			bad = err
			continue
		}
		if t.Not {
			inner := p
			p = func(e *snapshot.Entry) bool { return !inner(e) }
		}
		all = append(all, p)
	}
	return func(e *snapshot.Entry) bool {
		for _, p := range all {
			if !p(e) {
				return false
			}
		}
		return true
	}, bad
}

func compileTerm(t views.Term) (predicate, error) {
	switch t.Key {
	case "":
		return func(e *snapshot.Entry) bool {
			return t.MatchText(e.What) || t.MatchText(e.Where) || t.MatchText(e.Source) || hasQueue(e) && t.MatchText(views.RawName(e.Queue))
		}, nil
	case "level":
		return levelTerm(t)
	case "src", "source":
		return func(e *snapshot.Entry) bool { return t.MatchText(e.Source) }, nil
	case "queue":
		return func(e *snapshot.Entry) bool { return hasQueue(e) && t.MatchText(views.RawName(e.Queue)) }, nil
	case "time":
		return timeTerm(t)
	case "where":
		return func(e *snapshot.Entry) bool {
			return t.MatchText(e.Where) || hasQueue(e) && t.MatchText(views.RawName(e.Queue))
		}, nil
	}
	return nil, fmt.Errorf("%s: is no term here, use level, src, queue, where, time", t.Key)
}

// timeTerm compares the time of day: one moment in as many digits as are given, or a stretch
// from..to without its end, which may go over midnight.
func timeTerm(t views.Term) (predicate, error) {
	from, to, stretch := strings.Cut(t.Value, "..")
	for _, s := range []string{from, to} {
		if strings.Trim(s, "0123456789:.") != "" || from == "" {
			return nil, fmt.Errorf("time:%s: want a time of day such as 12:03, or a stretch 12:03:40..12:03:50", t.Value)
		}
	}
	return func(e *snapshot.Entry) bool {
		at := e.At.Format("15:04:05.000")
		switch {
		case !stretch:
			return strings.HasPrefix(at, from)
		case to != "" && to < from:
			return at >= from || at < to
		}
		return at >= from && (to == "" || at < to)
	}, nil
}

func hasQueue(e *snapshot.Entry) bool { return e.Queue != (snapshot.MessageQueue{}) }

func levelTerm(t views.Term) (predicate, error) {
	for l := snapshot.Debug; l <= snapshot.Error; l++ {
		if t.Value == "" || !strings.HasPrefix(l.String(), strings.ToLower(t.Value)) && !(l == snapshot.Error && t.Value == "error") && !(l == snapshot.Debug && t.Value == "debug") {
			continue
		}
		want := int(l)
		return func(e *snapshot.Entry) bool {
			have := int(e.Level)
			switch t.Op {
			case ">=":
				return have >= want
			case ">":
				return have > want
			case "<=":
				return have <= want
			case "<":
				return have < want
			}
			return have == want
		}, nil
	}
	return nil, fmt.Errorf("level%s%s is none of dbg, info, warn, err", t.Op, t.Value)
}
