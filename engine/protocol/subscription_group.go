// Contract: UPDATE_AND_CREATE_SUBSCRIPTIONGROUP (200, SubscriptionGroupConfig as body),
// GET_SUBSCRIPTIONGROUP_CONFIG (352), GET_ALL_SUBSCRIPTIONGROUP_CONFIG (201) and
// DELETE_SUBSCRIPTIONGROUP (207). The paging fields of 201 came after 5.3.3.

package protocol

// GetSubscriptionGroupConfigRequest asks for one group's settings, 26 when there are none
// (Java: GetSubscriptionGroupConfigRequestHeader).
type GetSubscriptionGroupConfigRequest struct {
	Base

	Group string
}

func (h *GetSubscriptionGroupConfigRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("group", &h.Group, required)
}

// GetAllSubscriptionGroupConfigRequest asks for the settings of all groups (Java:
// GetAllSubscriptionGroupRequestHeader).
type GetAllSubscriptionGroupConfigRequest struct {
	GroupSeq    Opt[int32]
	DataVersion string // DataVersion as JSON
	MaxGroupNum Opt[int32]
}

func (h *GetAllSubscriptionGroupConfigRequest) visit(v *visitor) {
	v.optI32("groupSeq", &h.GroupSeq)
	v.str("dataVersion", &h.DataVersion, optional)
	v.optI32("maxGroupNum", &h.MaxGroupNum)
}

// GetAllSubscriptionGroupConfigResponse says how many groups there are (Java:
// GetAllSubscriptionGroupResponseHeader).
type GetAllSubscriptionGroupConfigResponse struct {
	TotalGroups Opt[int32] // absent from old brokers
}

func (h *GetAllSubscriptionGroupConfigResponse) visit(v *visitor) {
	v.optI32("totalGroupNum", &h.TotalGroups)
}

// DeleteSubscriptionGroupRequest removes a group's settings (Java:
// DeleteSubscriptionGroupRequestHeader).
type DeleteSubscriptionGroupRequest struct {
	Base

	GroupName   string
	CleanOffset bool // and its offsets
}

func (h *DeleteSubscriptionGroupRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("groupName", &h.GroupName, required)
	v.boolean("cleanOffset", &h.CleanOffset, always)
}

// SubscriptionGroupConfig is the settings of a group on one broker (Java:
// SubscriptionGroupConfig).
type SubscriptionGroupConfig struct {
	Attributes                     map[string]string
	BrokerID                       int64
	ConsumeBroadcastEnable         bool
	ConsumeEnable                  bool
	ConsumeFromMinEnable           bool
	ConsumeMessageOrderly          bool
	ConsumeTimeoutMinute           int32
	GroupName                      string
	GroupRetryPolicy               *GroupRetryPolicy
	GroupSysFlag                   int32
	NotifyConsumerIDsChangedEnable bool
	RetryMaxTimes                  int32
	RetryQueueNums                 int32
	Subscriptions                  []SimpleSubscriptionData
	WhichBrokerWhenConsumeSlowly   int64 // id of the slave to read old messages from
}

// GroupRetryPolicy says how long retries wait (Java: GroupRetryPolicy).
type GroupRetryPolicy struct {
	Customized  *CustomizedRetryPolicy
	Exponential *ExponentialRetryPolicy
	Type        string // CUSTOMIZED or EXPONENTIAL
}

// CustomizedRetryPolicy is a list of waits in ms (Java: CustomizedRetryPolicy).
type CustomizedRetryPolicy struct{ Next []int64 }

// ExponentialRetryPolicy is waits that grow; times in ms (Java: ExponentialRetryPolicy).
type ExponentialRetryPolicy struct{ Initial, Max, Multiplier int64 }

// SimpleSubscriptionData is a subscription fixed by an operator (Java: SimpleSubscriptionData).
type SimpleSubscriptionData struct {
	Expression     string
	ExpressionType string
	Topic          string
	Version        int64
}

// NewSubscriptionGroupConfig returns the settings that a new group has.
func NewSubscriptionGroupConfig(group string) SubscriptionGroupConfig {
	return SubscriptionGroupConfig{
		ConsumeBroadcastEnable: true, ConsumeEnable: true, ConsumeFromMinEnable: true,
		ConsumeTimeoutMinute: 15, GroupName: group,
		GroupRetryPolicy:               &GroupRetryPolicy{Type: "CUSTOMIZED"},
		NotifyConsumerIDsChangedEnable: true, RetryMaxTimes: 16, RetryQueueNums: 1,
		WhichBrokerWhenConsumeSlowly: 1,
	}
}

func (g *SubscriptionGroupConfig) members(c *codec) {
	if !c.writing {
		*g = NewSubscriptionGroupConfig("")
	}
	textTable(c, "attributes", &g.Attributes, strValue)
	c.i64("brokerId", &g.BrokerID)
	c.boolean("consumeBroadcastEnable", &g.ConsumeBroadcastEnable)
	c.boolean("consumeEnable", &g.ConsumeEnable)
	c.boolean("consumeFromMinEnable", &g.ConsumeFromMinEnable)
	c.boolean("consumeMessageOrderly", &g.ConsumeMessageOrderly)
	c.i32("consumeTimeoutMinute", &g.ConsumeTimeoutMinute)
	c.str("groupName", &g.GroupName)
	pointer(c, "groupRetryPolicy", &g.GroupRetryPolicy)
	c.i32("groupSysFlag", &g.GroupSysFlag)
	c.boolean("notifyConsumerIdsChangedEnable", &g.NotifyConsumerIDsChangedEnable)
	c.i32("retryMaxTimes", &g.RetryMaxTimes)
	c.i32("retryQueueNums", &g.RetryQueueNums)
	if !c.writing || len(g.Subscriptions) > 0 {
		objects(c, "subscriptionDataSet", &g.Subscriptions)
	}
	c.i64("whichBrokerWhenConsumeSlowly", &g.WhichBrokerWhenConsumeSlowly)
}

func (p *GroupRetryPolicy) members(c *codec) {
	pointer(c, "customizedRetryPolicy", &p.Customized)
	pointer(c, "exponentialRetryPolicy", &p.Exponential)
	c.str("type", &p.Type)
}

func (p *CustomizedRetryPolicy) members(c *codec) { list(c, "next", &p.Next, i64Value) }

func (p *ExponentialRetryPolicy) members(c *codec) {
	c.i64("initial", &p.Initial)
	c.i64("max", &p.Max)
	c.i64("multiplier", &p.Multiplier)
}

func (s *SimpleSubscriptionData) members(c *codec) {
	c.str("expression", &s.Expression)
	c.str("expressionType", &s.ExpressionType)
	c.str("topic", &s.Topic)
	c.i64("version", &s.Version)
}

// Encode writes g as JSON.
func (g SubscriptionGroupConfig) Encode() []byte { return encodeBody(&g) }

// DecodeSubscriptionGroupConfig reads the settings of a group.
func DecodeSubscriptionGroupConfig(data []byte) (SubscriptionGroupConfig, error) {
	return decodeBody[SubscriptionGroupConfig](data)
}

// SubscriptionGroupTable is the settings of all groups of a broker (Java:
// SubscriptionGroupWrapper).
type SubscriptionGroupTable struct {
	DataVersion    DataVersion
	ForbiddenTable map[string]map[string]int32 // by group, then topic
	Groups         map[string]SubscriptionGroupConfig
}

func (t *SubscriptionGroupTable) members(c *codec) {
	object(c, "dataVersion", &t.DataVersion)
	textTable(c, "forbiddenTable", &t.ForbiddenTable, func(c *codec, p *map[string]int32) {
		textTableValue(c, p, i32Value)
	})
	textTable(c, "subscriptionGroupTable", &t.Groups, objectValue)
}

// Encode writes t as JSON.
func (t SubscriptionGroupTable) Encode() []byte { return encodeBody(&t) }

// DecodeSubscriptionGroupTable reads the answer to GetAllSubscriptionGroupConfig.
func DecodeSubscriptionGroupTable(data []byte) (SubscriptionGroupTable, error) {
	return decodeBody[SubscriptionGroupTable](data)
}

// SubscriptionGroupList is the body of UpdateAndCreateSubscriptionGroupList (Java:
// SubscriptionGroupList).
type SubscriptionGroupList struct{ Groups []SubscriptionGroupConfig }

func (l *SubscriptionGroupList) members(c *codec) { objects(c, "groupConfigList", &l.Groups) }

// Encode writes l as JSON.
func (l SubscriptionGroupList) Encode() []byte { return encodeBody(&l) }

// DecodeSubscriptionGroupList reads a list of groups to make.
func DecodeSubscriptionGroupList(data []byte) (SubscriptionGroupList, error) {
	return decodeBody[SubscriptionGroupList](data)
}
