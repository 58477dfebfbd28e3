package remoting

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const vectorDir = "../../testdata/vectors/frames"

// row is a line of the vector files.
type row struct {
	Name, Header, Variant, Type, Capture string
	Frame                                string
	Decoded                              struct {
		Code, Version, Flag int32
		Language            *string
		Opaque              json.RawMessage
		Remark              *string
		ExtFields           map[string]*string
		Type                string
		Body                *string
		Error               *struct{ Class, Message string }
	}
}

// frame is the frame's bytes with the length.
func (r *row) frame(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(r.Frame)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func rows(t testing.TB, name string) []row {
	t.Helper()
	f, err := os.Open(filepath.Join(vectorDir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var all []row
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r row
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(all), err)
	}
	return all
}

// picture is what can be compared of a command.
type picture struct {
	Code, Version, Opaque, Flag int32
	Language, Type, Remark      string
	Fields                      map[string]string
	NoFields                    bool // extFields is null
	Body                        string
}

func pictureOf(c *Command) picture {
	p := picture{Code: c.Code, Version: c.Version, Opaque: c.Opaque, Flag: c.Flag, Language: c.Language.String(),
		Type: c.Serialize.String(), Remark: c.Remark, Fields: map[string]string{}, NoFields: c.Fields == nil, Body: hex.EncodeToString(c.Body)}
	if c.Language > NodeJS {
		p.Language = ""
	}
	for _, f := range c.Fields {
		p.Fields[f.Key] = f.Value
	}
	return p
}

// want is what Java made of the frame, less what is null there.
func (r *row) want(t *testing.T) picture {
	t.Helper()
	d := &r.Decoded
	str := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	p := picture{Code: d.Code, Version: d.Version, Flag: d.Flag, Language: str(d.Language), Type: d.Type, Remark: str(d.Remark),
		Fields: map[string]string{}, NoFields: d.ExtFields == nil, Body: str(d.Body)}
	if string(d.Opaque) != `"not set"` {
		if err := json.Unmarshal(d.Opaque, &p.Opaque); err != nil {
			t.Fatal(err)
		}
	}
	for k, v := range d.ExtFields {
		if k != "{null}" && v != nil {
			p.Fields[k] = *v
		}
	}
	return p
}

func TestDecodeFrameAsJavaDoes(t *testing.T) {
	for _, file := range []string{"headers.jsonl.gz", "special.jsonl.gz", "handmade.jsonl"} {
		for _, r := range rows(t, file) {
			t.Run(strings.Join([]string{file, r.Header, r.Variant, r.Name, r.Type}, " "), func(t *testing.T) {
				got, err := DecodeFrame(r.frame(t)[4:], Limits{})
				if r.Decoded.Error != nil {
					if err == nil {
						t.Fatalf("Java refuses this frame (%s), we read %+v", r.Decoded.Error.Message, got)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(r.want(t), pictureOf(got)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// The field order of a decoded command is that of the wire, so writing it again must give
// Java's own bytes.
func TestS3AppendFrameGivesTheBytesOfJava(t *testing.T) {
	for _, file := range []string{"headers.jsonl.gz", "special.jsonl.gz", "captured.jsonl"} {
		same := 0
		for _, r := range rows(t, file) {
			frame := r.frame(t)
			c, err := DecodeFrame(frame[4:], Limits{})
			if err != nil {
				t.Fatalf("%s %s: %v", r.Header, r.Name, err)
			}
			if c.Serialize == RocketMQ && bytes.Contains(frame, []byte("\x00\x05empty\x00\x00\x00\x00")) || r.Name == "response, remark" && c.Serialize == JSON && c.Remark == "" {
				continue // an empty value or remark, which are none to us, stands in this frame
			}
			again, err := AppendFrame([]byte("before"), c, Limits{})
			if err != nil {
				t.Fatalf("%s %s: %v", r.Header, r.Name, err)
			}
			if !bytes.Equal(again, append([]byte("before"), frame...)) {
				t.Errorf("%s %s:\n got %q\nwant %q", r.Header, r.Name, again[6:], frame)
			}
			same++
		}
		if same < 30 {
			t.Errorf("%s: only %d frames compared", file, same)
		}
	}
}

func TestBinaryHeaderRefusesWhatItWouldCut(t *testing.T) {
	for _, r := range rows(t, "special.jsonl.gz") {
		if r.Type != "ROCKETMQ" || !strings.HasPrefix(r.Name, "code ") {
			continue
		}
		var code int32
		if err := json.Unmarshal([]byte(strings.TrimPrefix(r.Name, "code ")), &code); err != nil {
			t.Fatal(err)
		}
		_, err := AppendFrame(nil, &Command{Code: code, Serialize: RocketMQ}, Limits{})
		if kept := code == r.Decoded.Code; kept != (err == nil) {
			t.Errorf("code %d arrives as %d in Java; our writer says %v", code, r.Decoded.Code, err)
		}
	}
}
