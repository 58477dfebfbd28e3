package replay_test

import (
	"strings"
	"testing"
	"time"

	"mqscope/engine/replay"
	"mqscope/engine/replay/command"
	"mqscope/engine/replay/replaytest"
)

func TestPlacesThatAPersonWrites(t *testing.T) {
	for _, tt := range []struct {
		text string
		want uint64
	}{
		{"#18", 18}, {"#0", 0}, {"# 18", 31}, {" 18 ", 18}, {"#1,0", 10},
		{"12:00:20", 21}, {"12:00:20.999", 21}, {"12:01", 61}, {"12:00:00", 1},
		{"2026-01-31T12:00:05Z", 6}, {"2026-01-31T13:00:05+01:00", 6}, {"2026-01-31 12:00:05.5", 6}, {"2026-01-31 12:00", 1},
		{"+5s", 36}, {"-5s", 26}, {"+1h", 61}, {"-1h", 0}, {"+500ms", 31},
		{"0%", 1}, {"50%", 31}, {"42.5%", 26}, {"100%", 61},
		{";1", 8},
	} {
		playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
			s.after(command.SeekEvent{Event: 8}, command.Mark{}, command.SeekEvent{Event: 31})
			r := s.after(command.Seek{Text: tt.text})
			if r.Event != tt.want {
				t.Errorf("%q leads to %d, want %d (%s)", tt.text, r.Event, tt.want, r.Note)
			}
		})
	}
}

func TestATimeBetweenEventsIsKept(t *testing.T) {
	playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
		s.at(s.after(command.Seek{Text: "12:00:20.7"}), 21)
		if got := s.Snapshot().At.Sub(replaytest.Start()); got != 20700*time.Millisecond {
			t.Errorf("the clock is at %v", got)
		}
		s.at(s.after(command.Seek{Text: "+400ms"}), 22)
	})
}

func TestWhatIsNoPlaceIsRefusedWithWhatIsOne(t *testing.T) {
	for _, text := range []string{"", "x", "#", "#x", "#-1", "##1", "101%", "-1%", "NaN%", "%", "+", "+5", "++5s", ";", ";x", "25:00", "12:60:00", "2026-13-01T00:00:00Z", "12:03:41.220 and more", strings.Repeat("9", 400), "\x1b[2J"} {
		playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
			s.after(command.SeekEvent{Event: 31})
			r := s.after(command.Seek{Text: text})
			s.at(r, 31)
			if !strings.Contains(r.Note, "write #18244, 12:03:41.220") || len(r.Note) > 300 {
				t.Errorf("%q: note %q", text, r.Note)
			}
			if err := replay.CheckSeek(text); err == nil {
				t.Errorf("%q passes CheckSeek", text)
			}
		})
	}
}

func TestWhatIsNotInThisRecordingIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"#62": "the last is #61", "#99999999999999999999999": "the last is #61", ";3": "no bookmark 3",
		"13:00": "from 2026-01-31 12:00:00.000 to 2026-01-31 12:01:00.000", "2025-01-31T12:00:00Z": "is not in the recording", "2027-01-31T12:00:00Z": "is not in the recording",
	} {
		playing(t, replay.PlayerConfig{Track: minute()}, func(t *testing.T, s stage) {
			if r := s.after(command.Seek{Text: text}); !strings.Contains(r.Note, want) {
				t.Errorf("%q: note %q, want %q in it", text, r.Note, want)
			}
			if err := replay.CheckSeek(text); err != nil {
				t.Errorf("%q: %v, but another recording may have it", text, err)
			}
		})
	}
}

func TestATimeOfDayIsThatOfTheDayWhereItStands(t *testing.T) {
	track := replaytest.Every(49, time.Hour) // noon to noon, two days
	playing(t, replay.PlayerConfig{Track: track}, func(t *testing.T, s stage) {
		s.at(s.after(command.Seek{Text: "02:00"}), 15) // the first one there is
		s.at(s.after(command.SeekEvent{Event: 30}, command.Seek{Text: "20:00"}), 33)
		s.at(s.after(command.SeekEvent{Event: 45}, command.Seek{Text: "02:00"}), 39)
	})
}

func FuzzSeek(f *testing.F) {
	for _, s := range []string{"#18244", "12:03:41.220", "2026-01-31T12:03:41Z", "+5s", "-5s", "42%", ";2", "", "#", "%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := replay.CheckSeek(text); err != nil && len(err.Error()) > 400 {
			t.Errorf("%d bytes of error", len(err.Error()))
		}
	})
}
