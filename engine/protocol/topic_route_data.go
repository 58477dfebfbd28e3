// Contract: the answer to GetRouteInfoByTopic. Broker ids are unquoted keys unless standard
// JSON was asked for; both are read. Limits: 1,024 brokers, 4,096 queues a broker entry, no
// negative queue counts. filterServerTable is read and written for other clients' sake.

package protocol

import (
	"strconv"
)

// Limits of a route. They keep a hostile name server from making a client create queues
// without end.
const (
	MaxQueuesPerTopic = 4096
	MaxBrokers        = 1024
)

// TopicRouteData says which brokers have a topic, and with how many queues (Java:
// TopicRouteData).
type TopicRouteData struct {
	BrokerDatas       []BrokerData
	FilterServerTable map[string][]string // broker address to filter servers, legacy
	OrderTopicConf    string              // broker:queues;broker:queues
	QueueDatas        []QueueData
	// TopicQueueMappingByBroker is there for static topics, by broker name.
	TopicQueueMappingByBroker map[string]TopicQueueMappingInfo
}

// BrokerData is one broker name with its addresses (Java: BrokerData).
type BrokerData struct {
	Addrs              map[int64]string // by broker id; 0 is the master
	BrokerName         string
	Cluster            string
	EnableActingMaster bool
	ZoneName           string
}

// QueueData is how many queues a broker has of the topic (Java: QueueData).
type QueueData struct {
	BrokerName     string
	Perm           int32 // PermRead and so on
	ReadQueueNums  int32
	TopicSysFlag   int32
	WriteQueueNums int32
}

// TopicQueueMappingInfo maps the queues of a static topic to those of a broker (Java:
// TopicQueueMappingInfo).
type TopicQueueMappingInfo struct {
	BrokerName   string
	CurrentIDMap map[int32]int32 // logical to physical queue id
	Dirty        bool
	Epoch        int64
	Scope        string
	Topic        string
	TotalQueues  int32
}

func (t *TopicRouteData) members(c *codec) {
	objects(c, "brokerDatas", &t.BrokerDatas)
	textTable(c, "filterServerTable", &t.FilterServerTable, texts)
	c.str("orderTopicConf", &t.OrderTopicConf)
	objects(c, "queueDatas", &t.QueueDatas)
	if !c.writing || len(t.TopicQueueMappingByBroker) > 0 {
		textTable(c, "topicQueueMappingByBroker", &t.TopicQueueMappingByBroker, objectValue)
	}
}

func (b *BrokerData) members(c *codec) {
	intTable(c, "brokerAddrs", &b.Addrs, strValue)
	c.str("brokerName", &b.BrokerName)
	c.str("cluster", &b.Cluster)
	c.boolean("enableActingMaster", &b.EnableActingMaster)
	c.str("zoneName", &b.ZoneName)
}

func (q *QueueData) members(c *codec) {
	c.str("brokerName", &q.BrokerName)
	c.i32("perm", &q.Perm)
	c.i32("readQueueNums", &q.ReadQueueNums)
	c.i32("topicSysFlag", &q.TopicSysFlag)
	c.i32("writeQueueNums", &q.WriteQueueNums)
}

func (m *TopicQueueMappingInfo) members(c *codec) {
	c.str("bname", &m.BrokerName)
	intTable(c, "currIdMap", &m.CurrentIDMap, i32Value)
	c.boolean("dirty", &m.Dirty)
	c.i64("epoch", &m.Epoch)
	c.str("scope", &m.Scope)
	c.str("topic", &m.Topic)
	c.i32("totalQueues", &m.TotalQueues)
}

// Encode writes the route in fastjson's dialect, for senders below VersionStandardJSON.
func (t TopicRouteData) Encode() []byte { return encodeBody(&t) }

// EncodeStandard writes the route as standard JSON.
func (t TopicRouteData) EncodeStandard() []byte { return encodeDialect(&t, true) }

// DecodeTopicRouteData reads a route in either dialect.
func DecodeTopicRouteData(data []byte) (TopicRouteData, error) {
	t, err := decodeBody[TopicRouteData](data)
	if err != nil {
		return t, err
	}
	return t, t.check()
}

// check refuses routes over the limits.
func (t *TopicRouteData) check() error {
	fault := func(field, why string) error {
		return &BodyError{Body: "TopicRouteData", Field: field, Pos: -1, Why: why}
	}
	if n := len(t.BrokerDatas); n > MaxBrokers {
		return fault("brokerDatas", strconv.Itoa(n)+" brokers, at most "+strconv.Itoa(MaxBrokers))
	}
	if n := len(t.QueueDatas); n > MaxBrokers {
		return fault("queueDatas", strconv.Itoa(n)+" entries, at most "+strconv.Itoa(MaxBrokers))
	}
	for _, q := range t.QueueDatas {
		for _, n := range []int32{q.ReadQueueNums, q.WriteQueueNums} {
			if n < 0 || n > MaxQueuesPerTopic {
				return fault("queueDatas", "broker "+clipped(q.BrokerName)+" with "+strconv.Itoa(int(n))+
					" queues, want 0 to "+strconv.Itoa(MaxQueuesPerTopic))
			}
		}
	}
	return nil
}
