package apachetest

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
)

// PollKind is one of Apache's consumers that are asked for messages.
type PollKind string

const (
	Lite     PollKind = "lite"     // DefaultLitePullConsumer
	Pull     PollKind = "pull"     // DefaultMQPullConsumer
	Schedule PollKind = "schedule" // MQPullConsumerScheduleService
)

// Poller is such a consumer to be started. It begins at the first message where its group has
// no offset, and commits all that it took when it is closed.
type Poller struct {
	Kind         PollKind
	Group, Topic string
	Tag          string // expression, "" = "*"
	IDs          bool   // report each message
}

// JavaPoller starts a consumer that is asked for messages; in all else it is as JavaConsumer.
func (c *Cluster) JavaPoller(ctx context.Context, p Poller) (*JavaConsumer, error) {
	tag := "*"
	if p.Tag != "" {
		tag = p.Tag
	}
	j, err := c.startMember(ctx, "poll", "kind="+string(p.Kind), "namesrv="+c.NameServer, "group="+p.Group,
		"topic="+p.Topic, "tag="+tag, "ids="+strconv.FormatBool(p.IDs))
	if err != nil {
		return nil, fmt.Errorf("start a Java %s consumer of %s: %w\n%s", p.Kind, p.Topic, err, tail(filepath.Join(c.Folder, "clients", "poll.log")))
	}
	return j, nil
}
