package overlay

import (
	"encoding/base64"
	"encoding/hex"

	"mqscope/engine/snapshot"
	"mqscope/keymap"
	"mqscope/views"
)

// PauseConsumption asks before consumption is paused, or resumed when it is paused already.
// It says which group and cluster and what follows; both are undone by the same key.
func PauseConsumption(s *snapshot.Snapshot, clean *views.Cleaner) Question {
	owned := 0
	for i := range s.Queues {
		if s.Queues[i].Mine {
			owned++
		}
	}
	scope := views.Join(views.Own("consumption of group "), clean.Cell(s.Group.Name), views.Own(" @ "), clean.Cell(s.Source.Name), views.Own(" in this process"))
	queues := views.Join(views.Exact(int64(owned)), views.Own(views.Plural(owned, " queue is", " queues are")))
	if s.Mode.Paused {
		return Question{
			Risk: keymap.Consumer, Send: "Resume", What: views.Join(views.Own("Resume "), scope),
			Effects: []views.Safe{
				views.Join(queues, views.Own(" pulled again from where they stand")),
				views.Own("what piled up meanwhile comes to the listener"),
			},
		}
	}
	return Question{
		Risk: keymap.Consumer, Send: "Pause", What: views.Join(views.Own("Pause "), scope),
		Effects: []views.Safe{
			views.Join(queues, views.Own(" no longer pulled; what is cached is still consumed")),
			views.Own("other members do not take the queues over, so their lag grows"),
			views.Own("the same key resumes"),
		},
	}
}

// ReleaseLock asks before the broker's lock of a queue is given back.
func ReleaseLock(s *snapshot.Snapshot, q snapshot.MessageQueue, clean *views.Cleaner) Question {
	return Question{
		Risk: keymap.Consumer, Send: "Release",
		What: views.Join(views.Own("Release our lock of "), clean.Cell(views.RawName(q)), views.Own(", group "),
			clean.Cell(s.Group.Name), views.Own(" @ "), clean.Cell(s.Source.Name)),
		Effects: []views.Safe{
			views.Own("what runs is finished and committed first, then the lock goes back"),
			views.Own("messages cached here are forgotten; whoever has the queue next pulls them again"),
			views.Own("we ask for the lock again after one renewal interval, unless another member got it"),
		},
	}
}

// QuitDriving asks before the program ends while it drives a consumer.
func QuitDriving(s *snapshot.Snapshot, clean *views.Cleaner) Question {
	return Question{
		Risk: keymap.Consumer, Send: "Quit",
		What:    views.Join(views.Own("Quit, and leave group "), clean.Cell(s.Group.Name), views.Own(" @ "), clean.Cell(s.Source.Name)),
		Effects: quitEffects(s),
	}
}

func quitEffects(s *snapshot.Snapshot) []views.Safe {
	out := []views.Safe{
		views.Own("offsets are committed and the queues go to other members"),
		views.Own("messages in a listener that are not finished are delivered again"),
	}
	switch {
	case s.Recorder.On && s.Recorder.Box:
		out = append(out, views.Own("what the black box holds is lost unless it was saved"))
	case s.Recorder.On:
		out = append(out, views.Own("the recording ends with it"))
	}
	return out
}

// QuitRecording asks before the program ends while it records what it shows.
func QuitRecording(s *snapshot.Snapshot, clean *views.Cleaner) Question {
	r := &s.Recorder
	effect := views.Own("the recording ends here and is complete up to here")
	if r.Box {
		effect = views.Own("what the black box holds is lost unless it was saved")
	}
	return Question{
		Risk: keymap.Consumer, Send: "Quit",
		What:    views.Join(views.Own("Quit, and end the recording "), clean.Cell(r.File)),
		Effects: []views.Safe{effect},
	}
}

// Ways to copy text that does not show as it is.
const (
	CopyEscaped = "escaped"
	CopyHex     = "hex"
	CopyBase64  = "base64"
)

// CopyPick offers ways to copy text with characters that do not show as they are.
func CopyPick() views.Pick {
	return views.Pick{Title: "Copy text with hidden characters", Now: CopyEscaped, Options: []views.Option{
		{ID: CopyEscaped, Name: views.Own("as shown"), Note: views.Own("hidden characters stay written out")},
		{ID: CopyHex, Name: views.Own("hex"), Note: views.Own("every byte, two digits each")},
		{ID: CopyBase64, Name: views.Own("Base64"), Note: views.Own("every byte")},
	}}
}

// CopyAs writes c in the way that CopyPick offered. None of them has a control character.
func CopyAs(way string, c views.CopyText) string {
	switch way {
	case CopyHex:
		return hex.EncodeToString([]byte(c.Raw))
	case CopyBase64:
		return base64.StdEncoding.EncodeToString([]byte(c.Raw))
	}
	return c.Shown.String()
}
