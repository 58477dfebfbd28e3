package views

import (
	"slices"

	"mqscope/keymap"
)

// Choice is what a person chose to see of a table: which rows, in which order. Undo goes back
// through these.
type Choice struct {
	Filter string
	Sort   string // id of a column
	Desc   bool
	Group  uint8 // what rows are grouped by, as the table counts it; 0 is by nothing
}

// Choices is what can be chosen of a table.
type Choices struct {
	Terms   []string             // beginnings of the terms of a filter
	Sort    func() []Option      // columns
	Desc    func(id string) bool // whether a column is read from its large end first
	Columns func() []Column      // those on show
}

// Choose carries out the keys that change what is seen of a table. ok is false for others.
func (c Choice) Choose(ev Event, past *Past[Choice], scroll *int, of Choices) (_ Choice, ok bool, intents []Intent) {
	now := c
	switch ev.Action {
	case keymap.Filter:
		*past = past.Checkpoint(c)
		return c, true, []Intent{Input{Prompt: "/", Text: c.Filter, Terms: of.Terms}}
	case SetFilter:
		c.Filter = ev.Text
		return c, true, nil
	case keymap.Cancel:
		if c.Filter == "" {
			return c, true, []Intent{GoBack{}}
		}
		c.Filter = ""
	case keymap.Sort:
		return c, true, []Intent{Pick{Title: "Sort by", Now: c.Sort, Options: of.Sort()}}
	case Picked:
		if c.Sort == ev.Text {
			c.Desc = !c.Desc
		} else if slices.ContainsFunc(of.Sort(), func(o Option) bool { return o.ID == ev.Text }) {
			c.Sort, c.Desc = ev.Text, of.Desc(ev.Text)
		}
	case keymap.Reverse:
		c.Desc = !c.Desc
	case keymap.Left:
		*scroll = max(*scroll-ev.Step(), 0)
		return c, true, nil
	case keymap.Right:
		*scroll = min(*scroll+ev.Step(), Scrollable(of.Columns()))
		return c, true, nil
	case keymap.Undo, keymap.Redo:
		*past, c, intents = past.Turn(ev.Action, c)
		return c, true, intents
	default:
		return c, false, nil
	}
	*past = past.Change(now, c)
	return c, true, nil
}
