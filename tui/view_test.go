package tui

import (
	"strings"
	"testing"

	"mqscope/views/viewtest"
)

func TestTheScreenBeginsOnTheViewThatIsNamed(t *testing.T) {
	s := newScreen(t, viewtest.Stepped(viewtest.Normal(), 6), 120, 36, func(c *Config) { c.View = "scheduler" })
	if s.where() != "overview>scheduler" {
		t.Errorf("it begins at %s", s.where())
	}
	s.press("q")
	if s.where() != "overview" {
		t.Errorf("q leads to %s", s.where())
	}
	if _, err := newModel(Config{View: "no-such"}, ""); err == nil || !strings.Contains(err.Error(), `"no-such"`) {
		t.Errorf("a view that there is not: %v", err)
	}
}
