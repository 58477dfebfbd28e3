package tui

import (
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"mqscope/engine/recorder"
	"mqscope/engine/replay/command"
	"mqscope/engine/snapshot"
	"mqscope/views"
)

// typedCommand is something that is asked for by its name.
type typedCommand struct {
	name string
	args views.Lit // what stands behind it
	what views.Lit
	run  func(m *model, args string) (refused views.Lit)
	on   shown
}

// shown is what has to be shown for a command to be offered.
type shown uint8

const (
	anything shown = iota
	aRecording
	noRecording
)

// commands are those there are, in the order in which they are listed.
func commands() []typedCommand {
	return []typedCommand{
		{"seek", "TEXT", "#18244, 12:03:41.220, +5s, -5s, 42% or ;2", (*model).seekTo, aRecording},
		{"unmark", "N", "take bookmark N away", (*model).unmark, aRecording},
		{"record", "FILE", "record what is shown to a file; --force FILE replaces one", (*model).record, noRecording},
		{"stop", "", "end the recording that is made", (*model).stopRecording, noRecording},
		{"save", "[FILE]", "save what the black box has to a file", (*model).saveBox, noRecording},
		{"export", "", "table or screen, to a file", (*model).export, anything},
	}
}

// offered are the commands that work here.
func (m *model) offered() []typedCommand {
	not := aRecording
	if m.replaying() {
		not = noRecording
	}
	return slices.DeleteFunc(commands(), func(c typedCommand) bool { return c.on == not })
}

// askCommand opens the line for a command.
func (m *model) askCommand() {
	var names []string
	for _, c := range m.offered() {
		names = append(names, c.name)
	}
	m.input = newInput(views.Input{Prompt: ":", Submit: true, Terms: names})
	m.input.firstOnly = true
	m.input.note = func(text string) (note, bad views.Safe) {
		name, _, more := strings.Cut(strings.TrimLeft(text, " "), " ")
		c := findCommand(name)
		switch {
		case c != nil && c.args != "":
			return views.Join(views.Own(c.args), views.Own(": "), views.Own(c.what)), bad
		case c != nil:
			return views.Own(c.what), bad
		case more && name != "?":
			return note, views.Join(views.Own("no such command; "), m.listed())
		}
		return views.Join(m.listed(), views.Own(", tab completes")), bad
	}
	m.input.done = (*model).runCommand
}

func findCommand(name string) *typedCommand {
	for _, c := range commands() {
		if c.name == name {
			return &c
		}
	}
	return nil
}

// listed names the commands that work here.
func (m *model) listed() views.Safe {
	var parts []views.Safe
	for i, c := range m.offered() {
		if i > 0 {
			parts = append(parts, views.Own(", "))
		}
		parts = append(parts, views.Own(views.Lit(c.name)))
	}
	return views.Join(parts...)
}

// runCommand carries out what was typed.
func (m *model) runCommand(text string) tea.Cmd {
	name, args, _ := strings.Cut(strings.TrimSpace(text), " ")
	if name == "" {
		return nil
	}
	if name == "?" {
		var parts []views.Safe
		for i, c := range m.offered() {
			if i > 0 {
				parts = append(parts, views.Own(" | "))
			}
			parts = append(parts, views.Own(views.Lit(c.name)))
			if c.args != "" {
				parts = append(parts, views.Own(" "), views.Own(c.args))
			}
		}
		m.toast(snapshot.MarkWarn, views.Join(parts...))
		return nil
	}
	c := findCommand(name)
	if c == nil {
		m.toast(snapshot.MarkWarn, views.Join(views.Own("There is no command "), m.clean.Cell(name).Cut(30, m.theme.Glyphs), views.Own(": there are "), m.listed()))
		return nil
	}
	if refused := c.run(m, strings.TrimSpace(args)); refused != "" {
		m.toast(snapshot.MarkWatch, views.Own(refused))
	}
	return nil
}

func (m *model) seekTo(args string) views.Lit {
	switch {
	case !m.replaying():
		return "seek works on recordings: mqscope replay FILE shows one"
	case args == "":
		return "seek TEXT: #18244, 12:03:41.220, +5s, -5s, 42% or ;2"
	}
	m.play(command.Seek{Text: args})
	return ""
}

func (m *model) unmark(args string) views.Lit {
	n, err := strconv.Atoi(strings.TrimPrefix(args, ";"))
	switch {
	case !m.replaying():
		return "unmark works on recordings: mqscope replay FILE shows one"
	case err != nil:
		return "unmark N: name the number of a bookmark, as the line of time shows it"
	}
	m.play(command.Unmark{Number: n})
	return ""
}

func (m *model) record(args string) views.Lit {
	switch {
	case m.replaying():
		return "this is a recording: it is not recorded again"
	case m.records() && !m.latest.Recorder.Box:
		return "this is recorded already: stop ends that recording"
	}
	rest, replace := strings.CutPrefix(args+" ", "--force ")
	file := strings.TrimSpace(rest)
	if file == "" {
		return "record FILE: name a file to write, as orders.mqrec"
	}
	m.cfg.Source.Do(recorder.Record{File: file, Replace: replace})
	return ""
}

func (m *model) stopRecording(args string) views.Lit {
	switch {
	case args != "":
		return "stop ends the recording that is made: nothing stands behind it"
	case !m.records() || m.latest.Recorder.Box:
		return "nothing is recorded to a file: record FILE begins it"
	}
	m.cfg.Source.Do(recorder.Stop{})
	return ""
}

func (m *model) saveBox(args string) views.Lit {
	if m.replaying() {
		return "this is a recording: there is no black box"
	}
	m.cfg.Source.Do(recorder.Save{File: args})
	return ""
}
