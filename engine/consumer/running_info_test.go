package consumer_test

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mqscope/engine/consume"
	"mqscope/engine/consumer"
	"mqscope/engine/mq"
	"mqscope/engine/protocol"
)

func TestAMemberTellsAToolWhatItDoes(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		release := make(chan struct{})
		started := time.Now()
		m := w.join("192.0.2.10@me@unit", func(ctx context.Context, m mq.Message, _ *consume.Context) consume.Status {
			if m.QueueOffset() < 4 || m.StoredTopic() != topic {
				return consume.Success
			}
			select {
			case <-release:
			case <-ctx.Done():
			}
			return consume.Success
		}, func(c *consumer.Config) {
			c.Threads, c.Batch, c.MaxReconsume, c.UserInfo = 3, 2, 5, map[string]string{"made by": "a test"}
			c.Pull.Limits.CountPerTopic, c.Pull.Batch = 900, 16
		})
		time.Sleep(2500 * time.Millisecond)
		joined := time.Now()
		w.sendTo(first, 4)
		time.Sleep(time.Second)
		w.sendTo(first, 6)
		m.after(30 * time.Second)
		info := w.admin().info(m.id, false)

		want := map[string]string{
			"PROP_CONSUMEORDERLY": "false", "PROP_THREADPOOL_CORE_SIZE": "3", "PROP_CONSUME_TYPE": "CONSUME_PASSIVELY",
			"PROP_CONSUMER_START_TIMESTAMP": strconv.FormatInt(started.UnixMilli(), 10), "PROP_CLIENT_VERSION": "V5_3_1",
			"PROP_NAMESERVER_ADDR": nameServer + ";", "namesrvAddr": nameServer,
			"consumerGroup": group, "messageModel": "CLUSTERING", "consumeFromWhere": "CONSUME_FROM_FIRST_OFFSET",
			"clientIP": "192.0.2.10", "instanceName": "me", "unitName": "unit", "language": "GO", "unitMode": "false", "useTLS": "false",
			"allocateMessageQueueStrategy": "AVG", "clientRebalance": "true", "vipChannelEnabled": "false",
			"consumeThreadMin": "3", "consumeThreadMax": "3", "consumeMessageBatchMaxSize": "2", "maxReconsumeTimes": "5", "consumeTimeout": "15",
			"consumeConcurrentlyMaxSpan": "2000", "pullBatchSize": "16", "pullBatchSizeInBytes": "262144", "pullInterval": "0",
			"pullThresholdForQueue": "300", "pullThresholdSizeForQueue": "100", "pullThresholdForTopic": "900", "pullThresholdSizeForTopic": "-1",
			"persistConsumerOffsetInterval": "5000", "awaitTerminationMillisWhenShutdown": "3000", "pullTimeDelayMillsWhenException": "1000",
			"pollNameServerInterval": "30000", "heartbeatBrokerInterval": "30000", "mqClientApiTimeout": "3000",
		}
		if d := cmp.Diff(want, info.Properties); d != "" {
			t.Errorf("properties (-want +got):\n%s", d)
		}
		if d := cmp.Diff(map[string]string{"made by": "a test"}, info.UserConsumerInfo); d != "" || info.Stack != "" {
			t.Errorf("user info %s, stack %q", d, info.Stack)
		}
		var topics []string
		for _, s := range info.SubscriptionSet {
			topics = append(topics, s.Topic)
		}
		if d := cmp.Diff([]string{mq.RetryTopic(group), topic}, topics); d != "" {
			t.Error(d)
		}

		q := info.MQTable[first]
		if q.LastPullTimestamp < joined.UnixMilli() || q.LastConsumeTimestamp != joined.UnixMilli() || q.LastLockTimestamp >= joined.UnixMilli() || q.LastLockTimestamp < started.UnixMilli() {
			t.Errorf("times of the queue: %+v, messages came at %d", q, joined.UnixMilli())
		}
		q.LastPullTimestamp, q.LastConsumeTimestamp, q.LastLockTimestamp = 0, 0, 0
		if d := cmp.Diff(protocol.ProcessQueueInfo{CommitOffset: 4, CachedMsgMinOffset: 4, CachedMsgMaxOffset: 9, CachedMsgCount: 6, Locked: true}, q); d != "" {
			t.Error(d)
		}
		if len(info.MQTable) != 3 {
			t.Errorf("tells of %d queues, want two and the retry queue", len(info.MQTable))
		}
		if d := cmp.Diff(map[mq.MessageQueue]int64{first: 4, queueOf("broker-a", 1): 0}, w.admin().status(m.id)); d != "" {
			t.Errorf("status: %s", d)
		}
		close(release)
	})
}

func TestFiguresThatAMemberTells(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", func(_ context.Context, m mq.Message, _ *consume.Context) consume.Status {
			time.Sleep(10 * time.Millisecond)
			if strings.HasSuffix(string(m.Body()), "-3") && m.ReconsumeTimes() == 0 {
				return consume.ReconsumeLater
			}
			return consume.Success
		})
		for range 60 { // ten messages a second for a minute
			w.send(10, "a")
			time.Sleep(time.Second)
		}
		info := w.admin().info(m.id, false)
		s := info.StatusTable[topic]
		near := func(name string, got, want float64) {
			t.Helper()
			if got < want*0.8 || got > want*1.2 {
				t.Errorf("%s is %v, want about %v", name, got, want)
			}
		}
		near("consumeRT", s.ConsumeRT, 10)
		near("consumeOKTPS", s.ConsumeOKTPS, 9)
		near("consumeFailedTPS", s.ConsumeFailedTPS, 1)
		near("pullTPS", s.PullTPS, 10)
		near("consumeFailedMsgs", float64(s.ConsumeFailedMsgs), 60)
		if s.PullRT <= 0 {
			t.Errorf("pullRT is %v: pulls were held for messages", s.PullRT)
		}
		if r := info.StatusTable[mq.RetryTopic(group)]; r.ConsumeOKTPS <= 0 || r.ConsumeFailedTPS != 0 {
			t.Errorf("retry topic: %+v, want its messages there", r)
		}
		m.after(10 * time.Minute)
		s = w.admin().info(m.id, false).StatusTable[topic]
		if s.ConsumeOKTPS != 0 || s.PullTPS != 0 || s.ConsumeFailedMsgs != 60 {
			t.Errorf("ten quiet minutes later: %+v, want only what failed in the last hour", s)
		}
		m.after(70 * time.Minute)
		if s = w.admin().info(m.id, false).StatusTable[topic]; s != (protocol.ConsumeStatus{}) {
			t.Errorf("more than an hour later: %+v, want zeros", s)
		}
	})
}

func TestFiguresOutliveTheQueueTheyAreFrom(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 2)
		a := w.join("192.0.2.10@a", func(context.Context, mq.Message, *consume.Context) consume.Status { return consume.ReconsumeLater })
		second := queueOf("broker-a", 1)
		time.Sleep(11 * time.Second)
		w.sendTo(second, 20)
		time.Sleep(5 * time.Second) // no sample yet
		w.join("192.0.2.11@b", nil)
		s := a.after(15 * time.Second)
		if got := owned(s); len(got) != 1 || got[0] != first {
			t.Fatalf("a owns %v", got)
		}
		if f := w.admin().info(a.id, false).StatusTable[topic].ConsumeFailedMsgs; f != 20 {
			t.Errorf("%d messages failed, want the 20 of the queue that was given up", f)
		}
	})
}

func TestDumpsOfGoroutinesAreToldAndCanBeRefused(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		a := w.join("192.0.2.10@a", nil)
		b := w.join("192.0.2.11@b", nil, func(c *consumer.Config) { c.AllowBrokerRequests.Stacks = consumer.Refused })
		a.after(5 * time.Second)
		tool := w.admin()
		if info := tool.info(a.id, true); !strings.Contains(info.Stack, "consume.(*worker).run") {
			t.Errorf("the dump does not have the consume threads:\n%.2000s", info.Stack)
		}
		if info := tool.info(b.id, true); info.Stack != "" || len(info.Properties) == 0 {
			t.Errorf("a dump was given although it is refused")
		}
		if e := told(a.after(time.Second), "asked for running info with a dump"); len(e) != 1 || e[0].Where != addrOf("broker-a") {
			t.Errorf("told %v", e)
		}
		if e := told(b.after(0), "asked for running info with a dump", "refused by configuration"); len(e) != 1 {
			t.Errorf("told %v", e)
		}
	})
}

func TestAToolIsAnsweredWhileAMemberEnds(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 1)
		m := w.join("192.0.2.10@me", func(context.Context, mq.Message, *consume.Context) consume.Status {
			time.Sleep(10 * time.Second)
			return consume.Success
		}, func(c *consumer.Config) { c.Drain = 20 * time.Second })
		w.sendTo(first, 1)
		m.after(5 * time.Second)
		m.leave() // waits for the listener
		time.Sleep(time.Second)
		start := time.Now()
		resp, err := w.admin().try(protocol.GetConsumerRunningInfo, &protocol.GetConsumerRunningInfoRequest{ConsumerGroup: group, ClientID: m.id})
		if err != nil || time.Since(start) > 9*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		} else if resp.Code != 0 && resp.Code != int32(protocol.ConsumeMsgTimeout) {
			t.Errorf("answered %d %q", resp.Code, resp.Remark)
		}
		m.stop()
	})
}

func TestTwoToolsAskAtOnce(t *testing.T) {
	inWorld(t, 1, func(w *world) {
		w.createTopic(topic, 4)
		m := w.join("192.0.2.10@me", takes(time.Millisecond))
		w.send(200, "a")
		m.after(3 * time.Second)
		tables := make(chan map[mq.MessageQueue]protocol.ProcessQueueInfo, 20)
		for range cap(tables) {
			tool := w.admin()
			go func() { tables <- tool.info(m.id, true).MQTable }()
		}
		for range cap(tables) {
			if got := <-tables; len(got) != 5 {
				t.Errorf("told of %v", maps.Keys(got))
			}
		}
	})
}
