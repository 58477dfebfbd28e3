package config

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"256MiB": 256 << 20, " 1 GiB ": 1 << 30, "2g": 2 << 30, "1048576": 1 << 20, "1500000b": 1_500_000, "2MB": 2_000_000, "4096KiB": 4 << 20, "1024k": 1 << 20,
	} {
		var got int64
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		Size(fs, &got, "box", 1<<20, 4<<30, "keep")
		if err := fs.Set("box", text); err != nil || got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
		if again, ok := ParseSize(SizeWord(got)); !ok || again != got {
			t.Errorf("%s is read as %d", SizeWord(got), again)
		}
	}
	for _, text := range []string{"", "MiB", "-1MiB", "1.5GiB", "1023KiB", "5GiB", "9223372036854775807GiB", "18446744073709551616", "ten", "1TiB", "0"} {
		got := int64(-7)
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		Size(fs, &got, "box", 1<<20, 4<<30, "keep")
		err := fs.Set("box", text)
		if err == nil || got != -7 || !strings.Contains(err.Error(), "a size from 1MiB to 4GiB is allowed, such as 256MiB or 1GiB") {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
}
