package queues

import (
	"testing"

	"mqscope/views"
	"mqscope/views/viewtest"
	"mqscope/views/viewtest/captured"
)

func TestGoldenFramesOfCaptures(t *testing.T) { captured.Goldens(t, root, "queues", subject()) }

// TestATableOfAGroupSeenFromOutsideSaysWhatIsNotKnown: no 0 stands for what does not show.
func TestATableOfAGroupSeenFromOutsideSaysWhatIsNotKnown(t *testing.T) {
	for _, c := range captured.Cases(t, root) {
		v := New()
		sheet, ok := v.Sheet(views.In{Snap: c.Snap, State: v.Start(""), Now: c.Snap.At, Theme: viewtest.Theme(t, "mono", "unicode")})
		if !ok || len(sheet.Rows) == 0 {
			t.Fatalf("%s: no table", c.Name)
		}
		for _, row := range sheet.Rows {
			for i, name := range sheet.Cols {
				switch name {
				case "in_listener", "flow", "put_backs", "bytes":
					if row[i].V != nil || row[i].Why == "" {
						t.Errorf("%s: %s is %v, want the reason why it is not known", c.Name, name, row[i])
					}
				}
			}
		}
	}
}
