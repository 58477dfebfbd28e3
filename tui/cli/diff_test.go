package cli

import (
	"encoding/json"
	"path/filepath"
	"testing"
)

// recorded is the recording of a capture in testdata.
func recorded(t *testing.T, name string, more ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".mqrec")
	r := mqscope(t, append([]string{"import", captureFile(name), "-o", path}, more...)...)
	if r.code != exitOK {
		t.Fatal(r.err)
	}
	return path
}

func TestDiffOfTheSame(t *testing.T) {
	r := mqscope(t, "diff", recorded(t, "push-tags"), recorded(t, "push-tags"))
	if r.code != exitOK || r.err != "" {
		t.Fatalf("code %d, errors %q:\n%s", r.code, r.err, r.out)
	}
	containsAll(t, "the same", r.out, "no difference", "pulls")
}

func TestDiffSaysWhereTheyPart(t *testing.T) {
	a, b := recorded(t, "push-concurrent"), recorded(t, "push-tags")
	r := mqscope(t, "diff", a, b)
	if r.code != exitFailure || r.err != "" {
		t.Fatalf("code %d, errors %q", r.code, r.err)
	}
	checkClean(t, "diff", r.out)
	containsAll(t, "diff", r.out, "settings that differ", "g_push", "g_tags", "pulls part at number", "commits part at number", "pull-done")
	r = mqscope(t, "diff", a, b, "--json")
	var got struct {
		Same     bool
		Settings []struct{ Name, A, B string }
		Parts    []struct {
			Aspect string
			Nth    int
			A, B   *struct{ Event uint64 }
		}
		Counts []struct{ Kind string }
	}
	if err := json.Unmarshal([]byte(r.out), &got); err != nil || got.Same || len(got.Parts) == 0 || len(got.Settings) == 0 || len(got.Counts) == 0 {
		t.Fatalf("%v: %s", err, r.out)
	}
	for _, p := range got.Parts {
		if p.Nth == 0 || p.A == nil && p.B == nil {
			t.Errorf("%+v", p)
		}
	}
}

func TestDiffOfWhatIsNoRecording(t *testing.T) {
	r := mqscope(t, "diff", captureFile("pull"), recorded(t, "pull"))
	if r.code != exitUsage {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the error", r.err, "pull.pcap", "mqscope import")
	r = mqscope(t, "diff", "a")
	if r.code != exitUsage {
		t.Errorf("code %d", r.code)
	}
	containsAll(t, "the error", r.err, "1 recording", "mqscope diff A B")
}
