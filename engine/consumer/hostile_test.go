package consumer_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"mqscope/engine/client"
	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/embedded"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
	"mqscope/engine/snapshot"
)

// hostile are texts that do harm on a terminal, in a log or to a parser.
var hostile = map[string]string{
	"clipboard write":   "\x1b]52;c;aGFja2Vk\x07",
	"screen clear":      "\x1b[2J\x1b[H",
	"overwritten line":  "good\rbad",
	"forged log lines":  "a\nlevel=ERROR msg=\"all is lost\"\n",
	"eight-bit control": "\u009b31m",
	"open string":       "\x1b]0;title",
	"bidi override":     "abc\u202edef",
	"not UTF-8":         "a\xff\xfe\xc3(",
	"NUL and friends":   "\x00\x03\x7f",
	"markup":            "[red]x[-]{{.}}%s%n$(id)",
	"long":              strings.Repeat("🐛e\u0301", 4000),
}

// TestFU4HostileTextPassesThroughUnharmed: the engine neither changes it nor trips over it;
// screens sanitise what they draw.
func TestFU4HostileTextPassesThroughUnharmed(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				short := text[:min(len(text), 100)]
				host := netip.MustParseAddrPort("192.0.2.1:10911")
				stored, err := protocol.AppendMessage(nil, &protocol.StoredMessage{
					Topic: short, Body: []byte(text), BornHost: host, StoreHost: host,
					Properties: protocol.AppendProperties(nil, []protocol.Property{
						{Name: mq.PropertyTags, Value: short}, {Name: mq.PropertyKeys, Value: short}, {Name: short, Value: short},
						{Name: mq.PropertyUniqueKey, Value: short},
					}),
				})
				if err != nil {
					t.Fatal(err)
				}
				w.put(first, 1, "", 0)
				w.onPull(first, func(_ *embedded.Request, offset int64) embedded.Verdict {
					if offset > 0 {
						return embedded.Pass
					}
					return embedded.Edit(func(resp *remoting.Command) { resp.Body = stored })
				})
				release := make(chan struct{})
				got := make(chan mq.Message, 1)
				m := w.join("192.0.2.10@me", func(_ context.Context, msg mq.Message, _ *consume.Context) consume.Status {
					if msg.QueueOffset() == 0 {
						got <- msg.Clone()
						<-release
					}
					return consume.Success
				})
				s := m.after(2 * time.Second)
				msg := <-got
				property, _ := msg.Property(short)
				for what, is := range map[string]string{
					"body": string(msg.Body()[:len(short)]), "tag": msg.Tags(), "keys": msg.Keys(),
					"topic": msg.Topic(), "id": msg.ID(), "property": property,
				} {
					if is != short {
						t.Errorf("the listener got %s %q, want %q", what, is, short)
					}
				}
				meta := s.Windows[first].Meta
				if len(meta) != 1 || meta[0].Tag != short || meta[0].Keys != short || meta[0].Topic != short || meta[0].ID != short {
					t.Errorf("the snapshot holds %+v", meta)
				}
				if _, err := snapshot.Encode(s); err != nil {
					t.Errorf("the snapshot has no JSON: %v", err)
				}
				close(release)
				m.caughtUp(m.after(6*time.Second), 1)
			})
		})
	}
}

// TestFU4HostileRemarksAreHeldAsTheyCame: but for the ends of lines, an error is one line.
func TestFU4HostileRemarksAreHeldAsTheyCame(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 1)
				w.put(first, 1, "", 0)
				remark := strings.ToValidUTF8(text, "?") // the JSON of a header can hold nothing else
				mend := w.onPull(first, func(*embedded.Request, int64) embedded.Verdict {
					return embedded.Fail(protocol.SystemError, remark)
				})
				remark = strings.Join(strings.FieldsFunc(remark, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
				m := w.join("192.0.2.10@me", nil)
				s := m.after(3 * time.Second)
				if q := queue(s, first); !strings.Contains(q.LastError, remark) {
					t.Errorf("the last error is %q, want the broker's remark %q", q.LastError, remark)
				}
				if len(told(s, remark)) != 1 {
					t.Errorf("the remark is not told as it came")
				}
				if _, err := snapshot.Encode(s); err != nil {
					t.Errorf("the snapshot has no JSON: %v", err)
				}
				mend()
				m.caughtUp(m.after(7*time.Second), 1)
			})
		})
	}
}

func TestFU4HostileClientIDsFindThemselves(t *testing.T) {
	for name, text := range hostile {
		if name == "not UTF-8" {
			continue // the next test
		}
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(w *world) {
				w.createTopic(topic, 2)
				m := w.join("192.0.2.10@"+text, nil)
				w.send(10, "x")
				s := m.after(7 * time.Second)
				m.caughtUp(s, 2)
				if len(s.Members) != 1 || s.Members[0].ID != m.id || !s.Members[0].Me {
					t.Errorf("members are %+v", s.Members)
				}
				other := w.join("192.0.2.11@me", nil)
				s = other.after(5 * time.Second)
				if !slices.ContainsFunc(s.Members, func(e snapshot.Member) bool { return e.ID == m.id }) {
					t.Errorf("another member does not show it: %+v", s.Members)
				}
			})
		})
	}
}

// Names that no member list could bring back as they are, or no broker would take, are
// refused before anything is sent.
func TestFU4HostileNamesThatCanNotWorkAreRefused(t *testing.T) {
	const id = "192.0.2.10@me"
	for name, text := range hostile {
		tests := map[string]consumer.Config{
			"group":   {Group: text, Subscriptions: []consumer.Subscription{{Topic: topic}}},
			"topic":   {Group: group, Subscriptions: []consumer.Subscription{{Topic: text}}},
			"its tag": {Group: group, Subscriptions: []consumer.Subscription{{Topic: topic, Expression: "||" + text}, {Topic: topic}}},
		}
		for what, cfg := range tests {
			cfg.Listener = discard
			instance, err := client.New(client.Config{NameServers: []string{nameServer}, ClientID: id})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := consumer.NewPush(cfg, instance); err == nil {
				t.Errorf("%s: a %s of that kind was taken", name, what)
			} else if strings.ContainsAny(err.Error(), "\x1b\r\x00\u009b\u202e") {
				t.Errorf("%s: the error about the %s has it raw: %q", name, what, err)
			}
		}
	}
	bad := "192.0.2.10@" + hostile["not UTF-8"]
	instance, err := client.New(client.Config{NameServers: []string{nameServer}, ClientID: bad})
	if err != nil {
		t.Fatal(err)
	}
	cfg := consumer.Config{Group: group, Subscriptions: []consumer.Subscription{{Topic: topic}}, Listener: discard}
	if _, err := consumer.NewPush(cfg, instance); err == nil || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("a client id that is not UTF-8: %v, want an error that says so", err)
	}
}
