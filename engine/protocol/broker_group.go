// Contract: GET_BROKER_MEMBER_GROUP (901) and the requests by which brokers of one name keep
// each other informed: 902, 903, 905, 906, 908 and 1008. Carried so that captures can be read;
// nothing here sends them.

package protocol

// GetBrokerMemberGroupRequest asks for the brokers of one name; answered by BrokerMemberGroup
// (Java: GetBrokerMemberGroupRequestHeader).
type GetBrokerMemberGroupRequest struct {
	ClusterName string
	BrokerName  string
}

func (h *GetBrokerMemberGroupRequest) visit(v *visitor) {
	v.str("clusterName", &h.ClusterName, required)
	v.str("brokerName", &h.BrokerName, required)
}

// AddBrokerRequest starts another broker in a container (Java: AddBrokerRequestHeader).
type AddBrokerRequest struct {
	ConfigPath string
}

func (h *AddBrokerRequest) visit(v *visitor) {
	v.str("configPath", &h.ConfigPath, optional)
}

// RemoveBrokerRequest stops a broker in a container (Java: RemoveBrokerRequestHeader).
type RemoveBrokerRequest struct {
	BrokerName        string
	BrokerClusterName string
	BrokerID          int64
}

func (h *RemoveBrokerRequest) visit(v *visitor) {
	v.str("brokerName", &h.BrokerName, required)
	v.str("brokerClusterName", &h.BrokerClusterName, required)
	v.i64("brokerId", &h.BrokerID, required)
}

// NotifyMinBrokerIDChangeRequest says that another broker of the name acts as master (Java:
// NotifyMinBrokerIdChangeRequestHeader).
type NotifyMinBrokerIDChangeRequest struct {
	MinBrokerID       Opt[int64]
	BrokerName        string
	MinBrokerAddr     string
	OfflineBrokerAddr string
	HABrokerAddr      string
}

func (h *NotifyMinBrokerIDChangeRequest) visit(v *visitor) {
	v.optI64("minBrokerId", &h.MinBrokerID)
	v.str("brokerName", &h.BrokerName, optional)
	v.str("minBrokerAddr", &h.MinBrokerAddr, optional)
	v.str("offlineBrokerAddr", &h.OfflineBrokerAddr, optional)
	v.str("haBrokerAddr", &h.HABrokerAddr, optional)
}

// ExchangeHAInfoRequest tells a slave about its master (Java: ExchangeHAInfoRequestHeader).
type ExchangeHAInfoRequest struct {
	MasterHAAddress   string
	MasterFlushOffset Opt[int64]
	MasterAddress     string
}

func (h *ExchangeHAInfoRequest) visit(v *visitor) {
	v.str("masterHaAddress", &h.MasterHAAddress, optional)
	v.optI64("masterFlushOffset", &h.MasterFlushOffset)
	v.str("masterAddress", &h.MasterAddress, optional)
}

// ExchangeHAInfoResponse answers that (Java: ExchangeHAInfoResponseHeader).
type ExchangeHAInfoResponse struct {
	MasterHAAddress   string
	MasterFlushOffset Opt[int64]
	MasterAddress     string
}

func (h *ExchangeHAInfoResponse) visit(v *visitor) {
	v.str("masterHaAddress", &h.MasterHAAddress, optional)
	v.optI64("masterFlushOffset", &h.MasterFlushOffset)
	v.str("masterAddress", &h.MasterAddress, optional)
}

// ResetMasterFlushOffsetRequest sets what a slave knows of its master (Java:
// ResetMasterFlushOffsetHeader).
type ResetMasterFlushOffsetRequest struct {
	MasterFlushOffset int64
}

func (h *ResetMasterFlushOffsetRequest) visit(v *visitor) {
	v.i64("masterFlushOffset", &h.MasterFlushOffset, required)
}

// NotifyBrokerRoleChangedRequest says who is master now (Java:
// NotifyBrokerRoleChangedRequestHeader).
type NotifyBrokerRoleChangedRequest struct {
	MasterAddress     string
	MasterEpoch       Opt[int32]
	SyncStateSetEpoch Opt[int32]
	MasterBrokerID    Opt[int64]
}

func (h *NotifyBrokerRoleChangedRequest) visit(v *visitor) {
	v.str("masterAddress", &h.MasterAddress, optional)
	v.optI32("masterEpoch", &h.MasterEpoch)
	v.optI32("syncStateSetEpoch", &h.SyncStateSetEpoch)
	v.optI64("masterBrokerId", &h.MasterBrokerID)
}

// BrokerMemberGroup is the brokers of one name (Java: GetBrokerMemberGroupResponseBody).
type BrokerMemberGroup struct {
	Addrs      map[int64]string // by broker id
	BrokerName string
	Cluster    string
}

// memberGroupBody is the object around it.
type memberGroupBody struct{ group BrokerMemberGroup }

func (b *memberGroupBody) members(c *codec) { object(c, "brokerMemberGroup", &b.group) }

func (g *BrokerMemberGroup) members(c *codec) {
	intTable(c, "brokerAddrs", &g.Addrs, strValue)
	c.str("brokerName", &g.BrokerName)
	c.str("cluster", &g.Cluster)
}

// Encode writes g as JSON.
func (g BrokerMemberGroup) Encode() []byte { return encodeBody(&memberGroupBody{g}) }

// DecodeBrokerMemberGroup reads the answer to GetBrokerMemberGroup.
func DecodeBrokerMemberGroup(data []byte) (BrokerMemberGroup, error) {
	b, err := decodeBody[memberGroupBody](data)
	return b.group, err
}
