package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ourRecording is one of our own consumer.
func ourRecording() string {
	return filepath.Join("..", "..", "engine", "replay", "remade", "testdata", "latest.mqrec")
}

func TestReplayVerifiesARecording(t *testing.T) {
	file := ourRecording()
	r := mqscope(t, "replay", file, "--verify")
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	containsAll(t, "the text", r.out, "events played again, 4 checkpoints compared", "all of it is as it was recorded")
	if r = mqscope(t, "replay", recordingOf(t, "push-orderly"), "--verify", "--json"); r.code != exitOK || r.out != `{"events":873,"checkpoints_compared":0,"as_recorded":true,"end":"closed","faults":[]}`+"\n" {
		t.Errorf("code %d, %q, errors %q", r.code, r.out, r.err)
	}
}

func TestReplayVerifiesWhatIsDamaged(t *testing.T) {
	data, err := os.ReadFile(ourRecording())
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	file := write(t, "damaged.mqrec", string(data))
	r := mqscope(t, "replay", file, "--verify")
	if r.code != exitFailure {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the text", r.out, "can not be played on: ", "the file is damaged at byte ")
	if strings.Contains(r.out, "all events are there") {
		t.Error(r.out)
	}
	containsAll(t, "errors", r.err, file+": it is not all as it was recorded")
	r = mqscope(t, "replay", file, "--verify", "--json")
	var j struct {
		AsRecorded bool     `json:"as_recorded"`
		Faults     []string `json:"faults"`
	}
	if err := json.Unmarshal([]byte(r.out), &j); err != nil || j.AsRecorded || len(j.Faults) < 2 || r.code != exitFailure {
		t.Errorf("code %d, %q: %v", r.code, r.out, err)
	}
	data[len(data)/2] ^= 1
	data[40] ^= 1
	r = mqscope(t, "replay", write(t, "header.mqrec", string(data)), "--verify")
	containsAll(t, "the text", r.out, "damaged at byte 0 ", "the header, of which the copy at the end was read\n", "all events are there, and none departs")
	if r.code != exitFailure {
		t.Errorf("code %d", r.code)
	}
}
