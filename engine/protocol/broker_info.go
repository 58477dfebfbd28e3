// Contract: GET_BROKER_CONFIG (26) answers with key=value lines and the version of its
// settings, VIEW_BROKER_STATS_DATA (315) with BrokerStatsData, GET_BROKER_RUNTIME_INFO (28)
// with KVTable. 354 and 355 concern RocksDB stores. UPDATE_BROKER_CONFIG (25) is left out on
// purpose: nothing here changes settings of a broker.

package protocol

// GetBrokerConfigResponse is the version of a broker's settings (Java:
// GetBrokerConfigResponseHeader).
type GetBrokerConfigResponse struct {
	Version string // DataVersion as JSON
}

func (h *GetBrokerConfigResponse) visit(v *visitor) {
	v.str("version", &h.Version, required)
}

// ViewBrokerStatsDataRequest asks for one counter of a broker (Java:
// ViewBrokerStatsDataRequestHeader).
type ViewBrokerStatsDataRequest struct {
	StatsName string // TOPIC_PUT_NUMS, GROUP_GET_NUMS, ...
	StatsKey  string // topic, topic@group or queueId@topic@group
}

func (h *ViewBrokerStatsDataRequest) visit(v *visitor) {
	v.str("statsName", &h.StatsName, required)
	v.str("statsKey", &h.StatsKey, required)
}

// CheckRocksDBCQWriteProgressRequest compares the two kinds of consume queue (Java:
// CheckRocksdbCqWriteProgressRequestHeader).
type CheckRocksDBCQWriteProgressRequest struct {
	Topic          string
	CheckStoreTime int64
}

func (h *CheckRocksDBCQWriteProgressRequest) visit(v *visitor) {
	v.str("topic", &h.Topic, required)
	v.i64("checkStoreTime", &h.CheckStoreTime, always)
}

// ExportRocksDBConfigToJSONRequest makes a broker write its settings to a file (Java:
// ExportRocksDBConfigToJsonRequestHeader).
type ExportRocksDBConfigToJSONRequest struct {
	ConfigType string
}

func (h *ExportRocksDBConfigToJSONRequest) visit(v *visitor) {
	v.str("configType", &h.ConfigType, required)
}

// BrokerStatsData is one counter over three spans (Java: BrokerStatsData).
type BrokerStatsData struct{ Day, Hour, Minute BrokerStatsItem }

// BrokerStatsItem is a counter over one span (Java: BrokerStatsItem).
type BrokerStatsItem struct {
	Average float64 // a call
	Sum     int64
	TPS     float64 // a second
}

func (b *BrokerStatsData) members(c *codec) {
	object(c, "statsDay", &b.Day)
	object(c, "statsHour", &b.Hour)
	object(c, "statsMinute", &b.Minute)
}

func (i *BrokerStatsItem) members(c *codec) {
	c.f64("avgpt", &i.Average)
	c.i64("sum", &i.Sum)
	c.f64("tps", &i.TPS)
}

// Encode writes b as JSON.
func (b BrokerStatsData) Encode() []byte { return encodeBody(&b) }

// DecodeBrokerStatsData reads the answer to ViewBrokerStatsData.
func DecodeBrokerStatsData(data []byte) (BrokerStatsData, error) {
	return decodeBody[BrokerStatsData](data)
}
