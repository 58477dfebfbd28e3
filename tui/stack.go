package tui

import (
	"slices"

	"mqscope/engine/snapshot"
	"mqscope/views"
)

// place is a view that is open, with what it remembers.
type place struct {
	view   views.View
	arg    string // what it was opened with
	state  any
	focus  int  // pane that has the keys
	zoomed bool // that pane has the whole body
	queue  snapshot.MessageQueue
	about  bool                    // queue says what the view is about
	watch  []snapshot.MessageQueue // others that it shows in detail
}

// stack is the path of views: the first view at its bottom, then what was opened from there.
// Views that have a tab remember their state when they are left.
type stack struct {
	views []views.View
	path  []*place
	kept  map[string]*place // by view, those that have a tab
}

func newStack(all []views.View) stack {
	s := stack{views: all, kept: map[string]*place{}}
	s.path = []*place{s.fresh(all[0], "")}
	return s
}

func (s *stack) fresh(v views.View, arg string) *place {
	p := &place{view: v, arg: arg, state: v.Start(arg)}
	p.queue, p.about = views.DecodeQueue(arg)
	if arg == "" && s.hasTab(v.ID()) {
		s.kept[v.ID()] = p
	}
	return p
}

func (s *stack) top() *place { return s.path[len(s.path)-1] }

func (s *stack) hasTab(id string) bool {
	return slices.ContainsFunc(views.Tabs(), func(t views.Tab) bool { return t.ID == id })
}

func (s *stack) find(id string) views.View {
	for _, v := range s.views {
		if v.ID() == id {
			return v
		}
	}
	return nil
}

// tab is the tab that is lit: that of the innermost view that has one.
func (s *stack) tab() string {
	for _, p := range slices.Backward(s.path) {
		if s.hasTab(p.view.ID()) {
			return p.view.ID()
		}
	}
	return ""
}

// open puts a view on top. Without an argument a view with a tab is as it was left; one that
// is open already with the same argument is gone back to, so that the path has no circles.
// It reports false for a view that does not exist.
func (s *stack) open(id, arg string) bool {
	v := s.find(id)
	if v == nil {
		return false
	}
	for i, p := range s.path {
		if p.view == v && p.arg == arg {
			s.path = s.path[:i+1]
			return true
		}
	}
	p := s.kept[id]
	if p == nil || arg != "" {
		p = s.fresh(v, arg)
	}
	if len(s.path) == maxPath {
		s.path = slices.Delete(s.path, 1, 2)
	}
	s.path = append(s.path, p)
	return true
}

// maxPath is how many views lie on top of each other at most; then the oldest but the first
// is forgotten.
const maxPath = 32

// goTo shows a view by its tab: on top of the first view, which has nothing below it.
func (s *stack) goTo(id string) {
	first := s.path[0]
	s.path = []*place{first}
	if id != first.view.ID() {
		s.open(id, "")
	}
}

// back leaves the view on top; it reports false at the first one.
func (s *stack) back() bool {
	if len(s.path) == 1 {
		return false
	}
	s.path = s.path[:len(s.path)-1]
	return true
}

// watched are the queues that open views are about or show in detail.
func (s *stack) watched() []snapshot.MessageQueue {
	var out []snapshot.MessageQueue
	for _, p := range s.path {
		if p.about && !slices.Contains(out, p.queue) {
			out = append(out, p.queue)
		}
		out = append(out, p.watch...)
	}
	return out
}
