package apachetest

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// Request codes and the one answer code used here, by the names of Java's RequestCode.
const (
	updateAndCreateTopic = 17
	getBrokerRuntimeInfo = 28
	getRouteInfoByTopic  = 105
	getBrokerClusterInfo = 106

	success = 0
)

const (
	askPatience = 3 * time.Second
	maxAnswer   = 4 << 20 // bytes
)

// header is a remoting header in its JSON form.
type header struct {
	Code      int               `json:"code"`
	Language  string            `json:"language"`
	Version   int               `json:"version"`
	Opaque    int               `json:"opaque"`
	Flag      int               `json:"flag"`
	Remark    string            `json:"remark,omitempty"`
	ExtFields map[string]string `json:"extFields,omitempty"`
}

// ask sends one request on a connection of its own and returns the body of the answer. An
// answer other than success is an error.
func ask(ctx context.Context, addr string, code int, fields map[string]string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	h, err := json.Marshal(header{Code: code, Language: "GO", Version: 475, Opaque: 1, ExtFields: fields})
	if err != nil {
		return nil, err
	}
	frame := binary.BigEndian.AppendUint32(nil, uint32(4+len(h)))
	frame = binary.BigEndian.AppendUint32(frame, uint32(len(h))) // the top byte, 0, says JSON
	if _, err := conn.Write(append(frame, h...)); err != nil {
		return nil, err
	}
	body, err := answer(conn)
	if err != nil {
		return nil, fmt.Errorf("request %d to %s: %w", code, addr, err)
	}
	return body, nil
}

// answer reads one frame.
func answer(r io.Reader) ([]byte, error) {
	var lengths [8]byte
	if _, err := io.ReadFull(r, lengths[:]); err != nil {
		return nil, err
	}
	frame := int(binary.BigEndian.Uint32(lengths[:])) - 4
	head := int(binary.BigEndian.Uint32(lengths[4:]))
	if frame < 0 || frame > maxAnswer || head < 0 || head > frame {
		return nil, fmt.Errorf("a frame of %d bytes with a header of %d", frame, head)
	}
	rest := make([]byte, frame)
	if _, err := io.ReadFull(r, rest); err != nil {
		return nil, err
	}
	var h header
	if err := json.Unmarshal(rest[:head], &h); err != nil {
		return nil, fmt.Errorf("header %q: %w", rest[:head], err)
	}
	if h.Code != success {
		return nil, fmt.Errorf("answer %d: %s", h.Code, h.Remark)
	}
	return rest[head:], nil
}

// hasRoute says by nil that the name server's answer names a broker's address.
func (c *Cluster) hasRoute(ctx context.Context, broker string, code int, fields map[string]string) error {
	body, err := ask(ctx, c.NameServer, code, fields)
	if err != nil {
		return err
	}
	if !bytes.Contains(body, []byte(`"`+broker+`"`)) {
		return fmt.Errorf("the name server has no route to the broker at %s yet", broker)
	}
	return nil
}

// CreateTopic makes a topic with that many queues, or changes its number of them, and
// returns when the name server has the route.
func (c *Cluster) CreateTopic(ctx context.Context, topic string, queues int) error {
	if c.broker == nil {
		return fmt.Errorf("create topic %s: the broker is stopped", topic)
	}
	return c.createTopic(ctx, c.broker, c.Broker, topic, queues)
}

func (c *Cluster) createTopic(ctx context.Context, p *process, broker, topic string, queues int) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	n := strconv.Itoa(queues)
	_, err := ask(ctx, broker, updateAndCreateTopic, map[string]string{
		"topic": topic, "defaultTopic": "TBW102", "readQueueNums": n, "writeQueueNums": n, "perm": "6",
		"topicFilterType": "SINGLE_TAG", "topicSysFlag": "0", "order": "false",
	})
	if err != nil {
		return err
	}
	return c.until(ctx, p, func(ctx context.Context) error {
		return c.hasRoute(ctx, broker, getRouteInfoByTopic, map[string]string{"topic": topic})
	})
}
