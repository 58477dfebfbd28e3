package rebalance

import (
	"errors"
	"strings"
	"testing"

	"mqscope/engine/mq"
)

func TestStrategyByName(t *testing.T) {
	full := StrategyOptions{Queues: queuesOf("t", 2), Rooms: []string{"hz"}}
	tests := []struct {
		name    string
		text    string
		options StrategyOptions
		want    string // its Name
		err     string // parts of the error, by |
	}{
		{name: "short names are taken", text: "avg", want: "AVG"},
		{name: "circle is the average by circle", text: "circle", want: "AVG_BY_CIRCLE"},
		{name: "hash is the consistent hash", text: "hash", want: "CONSISTENT_HASH"},
		{name: "config is by configuration", text: "config", options: full, want: "CONFIG"},
		{name: "room is the machine room", text: "room", options: full, want: "MACHINE_ROOM"},
		{name: "nearby has the average inside", text: "nearby", want: "MACHINE_ROOM_NEARBY-AVG"},
		{name: "nearby takes another one inside", text: "nearby-hash", want: "MACHINE_ROOM_NEARBY-CONSISTENT_HASH"},
		{name: "Java's names are taken", text: "AVG_BY_CIRCLE", want: "AVG_BY_CIRCLE"},
		{name: "Java's name of nearby has the inner one", text: "MACHINE_ROOM_NEARBY-AVG_BY_CIRCLE", want: "MACHINE_ROOM_NEARBY-AVG_BY_CIRCLE"},
		{name: "case does not count", text: "Consistent_Hash", want: "CONSISTENT_HASH"},
		{name: "an unknown name is told with all that are allowed", text: "random",
			err: `unknown strategy "random"|avg, circle, hash, config, room, nearby|AVG, AVG_BY_CIRCLE, CONSISTENT_HASH, CONFIG, MACHINE_ROOM, MACHINE_ROOM_NEARBY`},
		{name: "no name is unknown", text: "", err: `unknown strategy ""`},
		{name: "only nearby has another one inside", text: "avg-hash", err: `unknown strategy "avg-hash"`},
		{name: "nearby has no nearby inside", text: "nearby-nearby-avg", err: `unknown strategy "nearby-nearby-avg"`},
		{name: "an unknown inner one is told", text: "nearby-x", err: `inside "nearby-x"|unknown strategy "x"`},
		{name: "an empty inner one is told", text: "nearby-", err: `inside "nearby-"|unknown strategy ""`},
		{name: "room needs rooms", text: "room", err: "MACHINE_ROOM needs"},
		{name: "config needs queues", text: "config", err: "CONFIG needs"},
		{name: "what the inner one needs is told too", text: "nearby-room", err: `inside "nearby-room"|MACHINE_ROOM needs`},
		{name: "hash refuses a negative number of nodes", text: "hash", options: StrategyOptions{VirtualNodes: -1},
			err: "illegal virtualNodeCnt :-1|1 or more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := StrategyByName(tt.text, tt.options)
			if tt.err == "" {
				if err != nil || s.Name() != tt.want {
					t.Fatalf("got %v, %v, want %s", s, err, tt.want)
				}
				return
			}
			if err == nil || s != nil {
				t.Fatalf("got %v, %v, want only an error", s, err)
			}
			for part := range strings.SplitSeq(tt.err, "|") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q has no %q", err, part)
				}
			}
		})
	}
}

func TestOptionsReachTheStrategy(t *testing.T) {
	queues := []mq.MessageQueue{{Topic: "t", BrokerName: "hz@b"}, {Topic: "t", BrokerName: "sh@b"}}
	tests := []struct {
		name    string
		text    string
		options StrategyOptions
		want    []mq.MessageQueue // of member a in a group of a and b
	}{
		{"a hash of one's own decides", "hash", StrategyOptions{Hash: onlyFirst}, queues},
		{"the rooms decide", "room", StrategyOptions{Rooms: []string{"sh"}}, queues[1:]},
		{"the list decides", "config", StrategyOptions{Queues: queues[1:]}, queues[1:]},
		{"the resolver decides", "nearby-circle", StrategyOptions{Resolver: oneRoom{}}, queues[:1]},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := StrategyByName(tt.text, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			checkAllocation(t, s, "a", queues, []string{"a", "b"}, tt.want)
		})
	}
}

func TestEveryNameIsAStrategy(t *testing.T) {
	full := StrategyOptions{Queues: queuesOf("t", 2), Rooms: []string{"hz"}}
	if n := len(StrategyNames()); n != 6 {
		t.Errorf("%d names, want 6", n)
	}
	for _, name := range StrategyNames() {
		s, err := StrategyByName(name, full)
		if err != nil || !strings.HasPrefix(s.Name(), name) {
			t.Errorf("%s is %v, %v", name, s, err)
		}
	}
}

// onlyFirst puts every point of member a before, all others after the queues.
func onlyFirst(key string) int64 {
	switch {
	case strings.HasPrefix(key, "MessageQueue"):
		return 5
	case strings.HasPrefix(key, "a-"):
		return 7
	}
	return -7
}

type oneRoom struct{}

func (oneRoom) BrokerRoom(mq.MessageQueue) string { return "here" }
func (oneRoom) ClientRoom(string) string          { return "here" }

func checkAllocation(t *testing.T, s Strategy, me string, queues []mq.MessageQueue, members []string, want []mq.MessageQueue) {
	t.Helper()
	got, err := s.Allocate(me, queues, members)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := texts(got), texts(want); a != b {
		t.Errorf("%s gives %s: %s, want %s", s.Name(), me, a, b)
	}
}

func TestRoomsByName(t *testing.T) {
	tests := []struct {
		name           string
		broker, client string
		wantBroker     string
		wantClient     string
	}{
		{"a room stands before a tilde", "hz~broker-a", "sh~10.0.0.1@7", "hz", "sh"},
		{"a broker's room may stand before an at sign", "hz@broker-a", "10.0.0.1@7", "hz", ""},
		{"the first mark counts", "hz~a@b", "hz~a~b", "hz", "hz"},
		{"a plain name has no room", "broker-a", "client", "", ""},
		{"an empty room is none", "~broker-a", "~10.0.0.1@7", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			broker := RoomsByName{}.BrokerRoom(mq.MessageQueue{BrokerName: tt.broker})
			client := RoomsByName{}.ClientRoom(tt.client)
			if broker != tt.wantBroker || client != tt.wantClient {
				t.Errorf("rooms %q and %q, want %q and %q", broker, client, tt.wantBroker, tt.wantClient)
			}
		})
	}
}

func TestNoRoomIsAnErrorWithFacts(t *testing.T) {
	s, err := StrategyByName("nearby", StrategyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Allocate("hz~a", []mq.MessageQueue{{Topic: "t", BrokerName: "hz@b"}}, []string{"hz~a", "10.0.0.1@7"})
	noRoom, ok := errors.AsType[*NoRoomError](err)
	if !ok || noRoom.ClientID != "10.0.0.1@7" || noRoom.Error() != "Machine room is null for consumer id 10.0.0.1@7" {
		t.Errorf("error %v", err)
	}
	if _, err := (MachineRoom{}).Allocate("a", []mq.MessageQueue{{BrokerName: "hz@b"}}, []string{"a"}); !errors.Is(err, ErrNoRooms) {
		t.Errorf("error %v, want %v", err, ErrNoRooms)
	}
}

func FuzzStrategyByName(f *testing.F) {
	for _, name := range []string{"", "avg", "MACHINE_ROOM_NEARBY-CONSISTENT_HASH", "nearby-", "-", "hash-avg"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := StrategyByName(name, StrategyOptions{})
		if (s == nil) != (err != nil) {
			t.Fatalf("%q: %v, %v", name, s, err)
		}
		if err != nil {
			return
		}
		again, err := StrategyByName(s.Name(), StrategyOptions{})
		if err != nil || again.Name() != s.Name() {
			t.Errorf("%q is %s, which is not a name of itself: %v", name, s.Name(), err)
		}
	})
}
