package capture_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mqscope/engine/capture"
	"mqscope/engine/remoting"
)

// damage copies a capture packet by packet: keep says how many bytes of each, none when it
// is left out.
func damage(t *testing.T, data []byte, keep func(i, n int) int) []byte {
	t.Helper()
	r, err := pcapgo.NewReader(bytes.NewReader(data))
	must(t, err)
	var out bytes.Buffer
	w := pcapgo.NewWriter(&out)
	must(t, w.WriteFileHeader(1<<18, layers.LinkTypeEthernet))
	for i := 0; ; i++ {
		b, info, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return out.Bytes()
		}
		must(t, err)
		if n := min(keep(i, len(b)), len(b)); n > 0 {
			must(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: info.Timestamp, Length: len(b), CaptureLength: n}, b[:n]))
		}
	}
}

// said is one command without its body.
func said(c *remoting.Command, conn capture.Conn) string {
	if c == nil {
		return ""
	}
	return fmt.Sprint(conn.Client, conn.Server, c.Code, c.Opaque, c.Flag, c.Remark, c.Fields)
}

// TestDamagedCapturesInventNothing leaves packets out, begins late and cuts packets short:
// whatever is read then was said, by whom and to whom it was said, and answers belong to
// their requests.
func TestDamagedCapturesInventNothing(t *testing.T) {
	for _, name := range []string{"push-concurrent", "push-orderly", "admin", "pop"} {
		t.Run(name, func(t *testing.T) {
			data := file(t, name)
			real, pairs := make(map[string][]byte), make(map[string]bool)
			var total int
			for _, it := range mustRead(t, data) {
				if it.Kind == capture.Done {
					x := it.Exchange
					total++
					for _, c := range []*remoting.Command{x.Request, x.Response} {
						if c != nil {
							real[said(c, x.Conn)] = append([]byte{}, c.Body...)
						}
					}
					pairs[said(x.Request, x.Conn)+said(x.Response, x.Conn)] = true
				}
			}
			check := func(what string, data []byte, atLeast int) {
				t.Helper()
				var found int
				for _, it := range mustRead(t, data) {
					if it.Kind != capture.Done {
						continue
					}
					found++
					x := it.Exchange
					for i, c := range []*remoting.Command{x.Request, x.Response} {
						if c == nil {
							continue
						}
						cut := []int{x.RequestCut, x.ResponseCut}[i]
						body, ok := real[said(c, x.Conn)]
						if !ok || len(c.Body)+cut != len(body) || !bytes.HasPrefix(body, c.Body) {
							t.Fatalf("%s: nobody said %v, %d bytes cut", what, c, cut)
						}
					}
					if x.Request != nil && x.Response != nil && !pairs[said(x.Request, x.Conn)+said(x.Response, x.Conn)] {
						t.Fatalf("%s: %v is no answer to %v", what, x.Response, x.Request)
					}
				}
				if found < atLeast {
					t.Errorf("%s: %d exchanges of %d", what, found, total)
				}
			}
			for seed := range uint64(8) {
				rnd := rand.New(rand.NewPCG(seed, 2))
				check(fmt.Sprint("loss ", seed), damage(t, data, func(_, n int) int {
					if rnd.IntN(100) < 5 {
						return 0
					}
					return n
				}), total*3/4)
				from := rnd.IntN(300)
				check(fmt.Sprint("from ", from), damage(t, data, func(i, n int) int {
					if i < from {
						return 0
					}
					return n
				}), 1)
			}
			check("snap length", damage(t, data, func(int, int) int { return 700 }), total*9/10)
		})
	}
}
