package recording

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAFileIsItsOwnersOnlyAndNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.mqrec")
	w, err := Create(path, header(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	records := some(3, 0)
	for _, r := range records {
		w.Append(r)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, all(t, r), records, 0)
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Create(path, header(), Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over what is there: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if w, err = Create(path, Header{}, Options{Replace: true}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if info, err = os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("replaced: %v, %v", info.Mode(), err)
	}
	if w, err = Create(path+"2", Header{}, Options{Replace: true}); err != nil {
		t.Errorf("nothing to replace: %v", err)
	} else if err := w.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := Create(dir, Header{}, Options{Replace: true}); err == nil {
		t.Error("a directory was replaced")
	}
}

func TestNoLinkIsFollowed(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	link := filepath.Join(dir, "link.mqrec")
	if err := os.Symlink(target, link); err != nil {
		if runtime.GOOS == "windows" { // where links are for administrators
			return
		}
		t.Fatal(err)
	}
	if _, err := Create(link, header(), Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link to nothing: %v", err)
	}
	if _, err := Create(link, header(), Options{Replace: true}); err == nil {
		t.Error("a link was replaced")
	}
	if err := os.Mkdir(target, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := NewBox(link, 1<<20, header(), Options{}); err == nil {
		t.Error("a link to a directory was followed")
	}
	if there, _ := os.ReadDir(target); len(there) != 0 {
		t.Errorf("%v", there)
	}
}

func TestWhatIsNoRecordingIsCalledByItsName(t *testing.T) {
	h, err := header().encode()
	if err != nil {
		t.Fatal(err)
	}
	newer := append([]byte(nil), h...)
	newer[8] = 9
	putCRC(newer)
	for _, c := range []struct{ name, content, want string }{
		{"empty", "", "the file is empty"},
		{"short", "MQR", "ends in its header, after 3 bytes"},
		{"pcap", "\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + strings.Repeat("\x00", 40), "a packet capture (pcap): read it with mqscope import"},
		{"short pcap", "\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "a packet capture (pcap)"},
		{"pcapng", "\x0a\x0d\x0d\x0a" + strings.Repeat("\x00", 40), "pcapng"},
		{"gzip", "\x1f\x8b" + strings.Repeat("\x00", 40), "gunzip"},
		{"zstd", "\x28\xb5\x2f\xfd" + strings.Repeat("\x00", 40), "zstd -d"},
		{"zip", "PK\x03\x04" + strings.Repeat("\x00", 40), "unzip"},
		{"text", strings.Repeat("hello\n", 10), "something else"},
		{"as text", strings.ReplaceAll(string(h), "\r\n", "\n"), "copy it again, as binary"},
		{"newer", string(newer), "format version 9, this program reads version 1: take a newer mqscope"},
		{"huge header", string(h[:12]) + "\xff\xff\xff\xff" + string(h[16:]), "the header is damaged"},
		{"cut header", string(h[:50]), "ends in its header, after 50 bytes"},
	} {
		path := filepath.Join(t.TempDir(), c.name+".mqrec")
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if _, err := Salvage(path); err == nil {
			t.Errorf("%s: salvaged from nothing", c.name)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

func TestABoxNeedsADirectoryOfItsOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "box")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "photo"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewBox(dir, 1<<20, header(), Options{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if _, err := NewBox(filepath.Join(dir, "photo"), 1<<20, header(), Options{}); err == nil {
		t.Error("a file as directory")
	}
	if _, err := NewBox(dir, 1000, header(), Options{}); err == nil {
		t.Error("a box of 1000 bytes")
	}
}
