package conformance

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"

	"mqscope/engine/protocol"
	"mqscope/engine/remoting"
)

func wireChecks() []Check {
	return []Check{
		{"X01", "unknown request codes are answered with 3", unknownCode},
		{"X02", "one-way requests are never answered", oneWay},
		{"X03", "binary headers are understood, answers use JSON", binaryHeader},
		{"X04", "frames in pieces and several frames in one write", pieces},
		{"X05", "answers have version, language, flag and opaque", answerHead},
		{"X06", "frame lengths out of range close the connection", badLengths},
		{"X08", "missing header fields get an answer and a living connection", missingFields},
		{"X09", "an idle connection is closed after 120 s", idle},
	}
}

// raw is a connection without a client's help.
type raw struct {
	e    *Env
	conn net.Conn
}

func (e *Env) raw(addr string) *raw {
	e.Helper()
	conn, err := e.Dial(e.Context(), "tcp", addr)
	if err != nil {
		e.Fatalf("dial %s: %v", addr, err)
	}
	e.Cleanup(func() { _ = conn.Close() })
	return &raw{e, conn}
}

func (r *raw) write(b []byte) {
	r.e.Helper()
	if _, err := r.conn.Write(b); err != nil {
		r.e.Fatalf("write: %v", err)
	}
}

// read reads one frame; nil when none comes within d or the connection ends.
func (r *raw) read(d time.Duration) *remoting.Command {
	r.e.Helper()
	if err := r.conn.SetReadDeadline(time.Now().Add(d)); err != nil {
		r.e.Fatalf("%v", err)
	}
	head := make([]byte, 4)
	if _, err := io.ReadFull(r.conn, head); err != nil {
		return nil
	}
	n := binary.BigEndian.Uint32(head)
	if n > 16<<20 {
		r.e.Fatalf("frame of %d bytes", n)
	}
	frame := make([]byte, n)
	if _, err := io.ReadFull(r.conn, frame); err != nil {
		r.e.Fatalf("half a frame: %v", err)
	}
	cmd, err := remoting.DecodeFrame(frame, remoting.Limits{})
	if err != nil {
		r.e.Fatalf("%v", err)
	}
	return cmd
}

// closed tells whether the peer ends the connection within d.
func (r *raw) closed(d time.Duration) bool {
	_ = r.conn.SetReadDeadline(time.Now().Add(d))
	_, err := r.conn.Read(make([]byte, 1))
	timeout, ok := errors.AsType[net.Error](err)
	return err != nil && !(ok && timeout.Timeout())
}

func (e *Env) frame(cmd *remoting.Command) []byte {
	e.Helper()
	b, err := remoting.AppendFrame(nil, cmd, remoting.Limits{})
	if err != nil {
		e.Fatalf("%v", err)
	}
	return b
}

// rawCall sends a command as it is and reads one answer.
func (e *Env) rawCall(addr string, cmd *remoting.Command) *remoting.Command {
	e.Helper()
	r := e.raw(addr)
	r.write(e.frame(cmd))
	resp := r.read(5 * time.Second)
	if resp == nil {
		e.Fatalf("no answer from %s", addr)
	}
	return resp
}

func unknownCode(e *Env) {
	c := e.Client()
	for _, addr := range []string{e.Broker(), e.NameServer} {
		c.Want(protocol.RequestCodeNotSupported, addr, protocol.RequestCode(31999), nil, nil)
	}
	c.Want(protocol.RequestCodeNotSupported, e.NameServer, protocol.PullMessage, nil, nil)
	c.Want(protocol.RequestCodeNotSupported, e.Broker(), protocol.GetRouteInfoByTopic, nil, nil)
}

func oneWay(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	r := e.raw(e.Broker())
	for i, cmd := range []*remoting.Command{
		{Code: int32(protocol.GetMaxOffset), Fields: protocol.Encode(&protocol.GetMaxOffsetRequest{Topic: topic})},
		{Code: 31999},
		{Code: int32(protocol.UpdateConsumerOffset)},
		{Code: int32(protocol.SendMessageV2), Fields: protocol.Encode(SendHeader(topic, 0)), Body: []byte("x")},
	} {
		cmd.Flag, cmd.Opaque = 2, int32(i+1)
		r.write(e.frame(cmd))
	}
	r.write(e.frame(&remoting.Command{Code: int32(protocol.GetMinOffset), Opaque: 9, Fields: protocol.Encode(&protocol.GetMinOffsetRequest{Topic: topic})}))
	if resp := r.read(5 * time.Second); resp == nil || resp.Opaque != 9 {
		e.Errorf("first answer: %+v, want that to request 9", resp)
	}
	if resp := r.read(soon); resp != nil {
		e.Errorf("a second answer: %+v", resp)
	}
	if got := c.MaxOffset(topic, 0); got != 1 {
		e.Errorf("the one-way send was not carried out: max offset %d", got)
	}
}

func binaryHeader(e *Env) {
	e.Broker()
	resp := e.rawCall(e.Broker(), &remoting.Command{
		Code: int32(protocol.GetMaxOffset), Opaque: 5, Serialize: remoting.RocketMQ, Language: remoting.Go, Version: 475,
		Fields: protocol.Encode(&protocol.GetMaxOffsetRequest{Topic: e.Name("none")}),
	})
	if resp.Code != 0 || resp.Opaque != 5 || resp.Serialize != remoting.JSON {
		e.Errorf("%+v", resp)
	}
}

func pieces(e *Env) {
	r := e.raw(e.Broker())
	request := func(opaque int32) []byte {
		return e.frame(&remoting.Command{Code: int32(protocol.GetMaxOffset), Opaque: opaque, Fields: protocol.Encode(&protocol.GetMaxOffsetRequest{Topic: "none"})})
	}
	for _, b := range request(1) {
		r.write([]byte{b})
	}
	if resp := r.read(5 * time.Second); resp == nil || resp.Opaque != 1 {
		e.Fatalf("a frame in pieces: %+v", resp)
	}
	var all []byte
	for i := range int32(5) {
		all = append(all, request(10+i)...)
	}
	half := len(all) - 17
	r.write(all[:half])
	e.Sleep(50 * time.Millisecond)
	r.write(all[half:])
	seen := map[int32]bool{}
	for range 5 {
		if resp := r.read(5 * time.Second); resp != nil {
			seen[resp.Opaque] = true
		}
	}
	if len(seen) != 5 {
		e.Errorf("answers to %v, want five", seen)
	}
}

func answerHead(e *Env) {
	for _, addr := range []string{e.Broker(), e.NameServer} {
		resp := e.rawCall(addr, &remoting.Command{Code: 31999, Opaque: 77, Language: remoting.Go, Version: 300})
		if !resp.IsResponse() || resp.Opaque != 77 || resp.Language != remoting.Java || resp.Version < protocol.VersionSQLFilter {
			e.Errorf("%+v", resp)
		}
	}
}

func badLengths(e *Env) {
	for name, bytes := range map[string][]byte{
		"negative length":              {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0},
		"length over 16 MiB":           {0x7f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
		"header longer than the frame": {0, 0, 0, 8, 0, 0, 0, 99, 0, 0, 0, 0},
		"length below 4":               {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		r := e.raw(e.Broker())
		r.write(bytes)
		if !r.closed(5 * time.Second) {
			e.Errorf("%s: the connection stays open", name)
		}
	}
}

func missingFields(e *Env) {
	c := e.Client()
	topic := e.Topic(c, 1)
	c.Pull(PullHeader(e.Name("G"), topic, 0, 0, "*"))
	for _, test := range []struct {
		name   string
		code   protocol.RequestCode
		fields []remoting.Field
		want   protocol.ResponseCode
	}{
		{"pull with nothing", protocol.PullMessage, nil, protocol.SystemError},
		{"send with nothing", protocol.SendMessageV2, nil, protocol.SystemError},
		{"max offset without topic", protocol.GetMaxOffset, []remoting.Field{{Key: "queueId", Value: "0"}}, protocol.SystemError},
		{"max offset with a queue that is no number", protocol.GetMaxOffset, []remoting.Field{{Key: "topic", Value: topic}, {Key: "queueId", Value: "x"}}, protocol.SystemError},
		{"query offset without queue", protocol.QueryConsumerOffset, []remoting.Field{{Key: "topic", Value: topic}, {Key: "consumerGroup", Value: "g"}}, protocol.SystemError},
		{"heartbeat without body", protocol.HeartBeat, nil, protocol.SystemError},
		{"lock without body", protocol.LockBatchMQ, nil, protocol.SystemError},
		{"send back without group", protocol.ConsumerSendMsgBack, []remoting.Field{{Key: "offset", Value: "0"}, {Key: "delayLevel", Value: "0"}}, protocol.SystemError},
		{"check client config without body", protocol.CheckClientConfig, nil, protocol.Success},
		{"commit without queue", protocol.UpdateConsumerOffset, []remoting.Field{{Key: "topic", Value: topic}, {Key: "consumerGroup", Value: "TOOLS_CONSUMER"}, {Key: "commitOffset", Value: "1"}}, protocol.InvalidParameter},
	} {
		resp := c.CallRaw(e.Broker(), &remoting.Command{Code: int32(test.code), Fields: test.fields})
		if got := protocol.ResponseCode(resp.Code); got != test.want {
			e.Errorf("%s: %v (%s), want %v", test.name, got, resp.Remark, test.want)
		}
	}
	c.Want(0, e.Broker(), protocol.GetMaxOffset, &protocol.GetMaxOffsetRequest{Topic: topic}, nil)
}

func idle(e *Env) {
	r := e.raw(e.Broker())
	start := time.Now()
	if !r.closed(140 * time.Second) {
		e.Errorf("an idle connection stays open")
	}
	e.Within("the end of an idle connection", time.Since(start), 115*time.Second, 135*time.Second)
}
