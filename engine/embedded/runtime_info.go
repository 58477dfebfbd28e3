package embedded

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"mqscope/engine/protocol"
)

// Contract: GET_BROKER_RUNTIME_INFO (28). 0 and a table of texts under a broker's keys. What
// this broker has no equal of (disks, thread pools, averages) is 0.
func (b *Broker) runtimeInfo(r *Request) {
	now := b.state.now
	oldest, end := b.Store.LogRange()
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	table := map[string]string{
		"brokerVersion":                   strconv.Itoa(brokerVersion),
		"brokerVersionDesc":               protocol.VersionName(brokerVersion),
		"brokerActive":                    "true",
		"bootTimestamp":                   n(b.bootTime.UnixMilli()),
		"runtime":                         fmt.Sprintf("[ %d seconds ]", int64(now.Sub(b.bootTime).Seconds())),
		"putMessageTimesTotal":            n(b.stats.put),
		"putMessageSizeTotal":             n(b.stats.putBytes),
		"putMessageAverageSize":           average(b.stats.putBytes, b.stats.put),
		"msgPutTotalTodayNow":             n(b.stats.put),
		"msgGetTotalTodayNow":             n(b.stats.got),
		"commitLogMinOffset":              n(oldest),
		"commitLogMaxOffset":              n(end),
		"earliestMessageTimeStamp":        n(b.bootTime.UnixMilli()),
		"startAcceptSendRequestTimeStamp": "0",
	}
	for _, key := range []string{"putTps", "getFoundTps", "getMissTps", "getTotalTps", "getTransferredTps"} {
		table[key] = "0.0 0.0 0.0"
	}
	for _, key := range []string{
		"putMessageEntireTimeMax", "putMessageFailedTimes", "getMessageEntireTimeMax", "dispatchMaxBuffer", "dispatchBehindBytes",
		"pageCacheLockTimeMills", "msgPutTotalYesterdayMorning", "msgPutTotalTodayMorning", "msgGetTotalYesterdayMorning",
		"msgGetTotalTodayMorning", "commitLogDiskRatio", "consumeQueueDiskRatio", "remainHowManyDataToFlush",
		"remainTransientStoreBufferNumbs", "timerReadBehind", "timerOffsetBehind", "timerCongestNum", "timerEnqueueTps",
		"timerDequeueTps", "EndTransactionQueueSize", "EndTransactionThreadPoolQueueCapacity",
	} {
		table[key] = "0"
	}
	for _, pool := range []string{"send", "pull", "litePull", "query", "ack"} {
		for _, what := range []string{"Size", "Capacity", "HeadWaitTimeMills"} {
			table[pool+"ThreadPoolQueue"+what] = "0"
		}
	}
	for level := 1; level <= b.Store.Delays.Levels(); level++ {
		if q, _ := b.Store.Delays.Queue(level); q.Max() > 0 {
			table["scheduleMessageOffset_"+strconv.Itoa(level)] = n(b.Store.Delays.Delivered(level)) + "," + n(q.Max())
		}
	}
	r.ok(nil, protocol.KVTable{Table: table}.Encode())
}

func average(sum, count int64) string {
	if count == 0 {
		return "0.0"
	}
	return strconv.FormatFloat(float64(sum)/float64(count), 'f', -1, 64)
}

// Contract: GET_BROKER_CONFIG (26). 0 and lines key=value of what is settable here, with the
// data version. There is no request that changes it: that way in has been misused.
func (b *Broker) brokerConfig(r *Request) {
	settings := map[string]string{
		"brokerName": b.Name, "brokerClusterName": b.cfg.ClusterName, "brokerId": strconv.FormatInt(b.ID, 10),
		"brokerIP1": b.host.Addr().String(), "listenPort": strconv.Itoa(int(b.host.Port())), "brokerRole": "ASYNC_MASTER",
		"brokerPermission":                  strconv.Itoa(int(b.perm())),
		"autoCreateTopicEnable":             strconv.FormatBool(!b.cfg.NoAutoCreateTopic),
		"autoCreateSubscriptionGroup":       strconv.FormatBool(!b.cfg.NoAutoCreateGroup),
		"longPollingEnable":                 strconv.FormatBool(!b.cfg.NoLongPolling),
		"maxTransferCountOnMessageInMemory": strconv.Itoa(b.cfg.PullBatchMessages),
		"maxTransferBytesOnMessageInMemory": strconv.Itoa(b.cfg.PullBatchBytes),
		"messageDelayLevel":                 b.cfg.DelayLevels,
		"enablePropertyFilter":              "false",
		"slaveReadEnable":                   "false",
		"useServerSideResetOffset":          strconv.FormatBool(!b.cfg.ResetByClients),
		"serverLoadBalancerEnable":          strconv.FormatBool(!b.cfg.NoServerLoadBalancing),
	}
	var text strings.Builder
	for _, key := range sortedKeys(settings) {
		text.WriteString(key + "=" + settings[key] + "\n")
	}
	r.ok(&protocol.GetBrokerConfigResponse{Version: string(b.version.wire().Encode())}, []byte(text.String()))
}

// Contract: GET_ALL_CONSUMER_OFFSET (43) and GET_ALL_DELAY_OFFSET (45). 0 and the whole table of
// stored offsets; of how far each delay level is delivered.
func (b *Broker) allOffsets(r *Request) {
	table := protocol.AllConsumerOffsets{Offsets: map[string]map[int32]int64{}}
	for _, p := range b.Store.Commits.Pairs() {
		table.Offsets[p.Topic+"@"+p.Group] = maps.Clone(b.Store.Commits.Queues(p.Group, p.Topic))
	}
	r.ok(nil, table.Encode())
}

func (b *Broker) delayOffsets(r *Request) {
	table := protocol.DelayOffsets{Offsets: map[int32]int64{}}
	for level := 1; level <= b.Store.Delays.Levels(); level++ {
		table.Offsets[int32(level)] = b.Store.Delays.Delivered(level)
	}
	r.ok(nil, table.Encode())
}

// wire is v as it travels.
func (v dataVersion) wire() protocol.DataVersion {
	return protocol.DataVersion{Counter: v.counter, Timestamp: v.at.UnixMilli()}
}
