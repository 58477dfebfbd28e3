// Contract: REGISTER_BROKER (103), UNREGISTER_BROKER (104), QUERY_DATA_VERSION (322) and
// BROKER_HEARTBEAT (904), broker to name server. 103 carries RegisterBrokerBody; its
// compressed form is not written here, so send compressed=false and a bodyCrc32 of 0, which
// means unchecked.

package protocol

// RegisterBrokerRequest registers a broker at a name server (Java:
// RegisterBrokerRequestHeader).
type RegisterBrokerRequest struct {
	BrokerName             string
	BrokerAddr             string
	ClusterName            string
	HAServerAddr           string
	BrokerID               int64
	HeartbeatTimeoutMillis Opt[int64]
	EnableActingMaster     Opt[bool]
	Compressed             bool
	BodyCRC32              int32
}

func (h *RegisterBrokerRequest) visit(v *visitor) {
	v.str("brokerName", &h.BrokerName, required)
	v.str("brokerAddr", &h.BrokerAddr, required)
	v.str("clusterName", &h.ClusterName, required)
	v.str("haServerAddr", &h.HAServerAddr, required)
	v.i64("brokerId", &h.BrokerID, required)
	v.optI64("heartbeatTimeoutMillis", &h.HeartbeatTimeoutMillis)
	v.optBool("enableActingMaster", &h.EnableActingMaster)
	v.boolean("compressed", &h.Compressed, always)
	v.i32("bodyCrc32", &h.BodyCRC32, always)
}

// RegisterBrokerResponse names the master to a slave (Java: RegisterBrokerResponseHeader).
type RegisterBrokerResponse struct {
	HAServerAddr string
	MasterAddr   string
}

func (h *RegisterBrokerResponse) visit(v *visitor) {
	v.str("haServerAddr", &h.HAServerAddr, optional)
	v.str("masterAddr", &h.MasterAddr, optional)
}

// UnregisterBrokerRequest takes a broker off a name server (Java:
// UnRegisterBrokerRequestHeader).
type UnregisterBrokerRequest struct {
	BrokerName  string
	BrokerAddr  string
	ClusterName string
	BrokerID    int64
}

func (h *UnregisterBrokerRequest) visit(v *visitor) {
	v.str("brokerName", &h.BrokerName, required)
	v.str("brokerAddr", &h.BrokerAddr, required)
	v.str("clusterName", &h.ClusterName, required)
	v.i64("brokerId", &h.BrokerID, required)
}

// QueryDataVersionRequest asks whether a name server has the newest table of a broker (Java:
// QueryDataVersionRequestHeader).
type QueryDataVersionRequest struct {
	BrokerName  string
	BrokerAddr  string
	ClusterName string
	BrokerID    int64
}

func (h *QueryDataVersionRequest) visit(v *visitor) {
	v.str("brokerName", &h.BrokerName, required)
	v.str("brokerAddr", &h.BrokerAddr, required)
	v.str("clusterName", &h.ClusterName, required)
	v.i64("brokerId", &h.BrokerID, required)
}

// QueryDataVersionResponse answers that (Java: QueryDataVersionResponseHeader).
type QueryDataVersionResponse struct {
	Changed bool
}

func (h *QueryDataVersionResponse) visit(v *visitor) {
	v.boolean("changed", &h.Changed, required)
}

// BrokerHeartbeatRequest keeps a registration alive (Java: BrokerHeartbeatRequestHeader).
type BrokerHeartbeatRequest struct {
	ClusterName            string
	BrokerAddr             string
	BrokerName             string
	BrokerID               Opt[int64]
	Epoch                  Opt[int32]
	MaxOffset              Opt[int64]
	ConfirmOffset          Opt[int64]
	HeartbeatTimeoutMillis Opt[int64]
	ElectionPriority       Opt[int32]
}

func (h *BrokerHeartbeatRequest) visit(v *visitor) {
	v.str("clusterName", &h.ClusterName, required)
	v.str("brokerAddr", &h.BrokerAddr, required)
	v.str("brokerName", &h.BrokerName, required)
	v.optI64("brokerId", &h.BrokerID)
	v.optI32("epoch", &h.Epoch)
	v.optI64("maxOffset", &h.MaxOffset)
	v.optI64("confirmOffset", &h.ConfirmOffset)
	v.optI64("heartbeatTimeoutMills", &h.HeartbeatTimeoutMillis)
	v.optI32("electionPriority", &h.ElectionPriority)
}

// RegisterBrokerBody is what a broker tells name servers of itself (Java: RegisterBrokerBody).
type RegisterBrokerBody struct {
	FilterServers []string
	TopicConfig   TopicConfigTable
}

func (b *RegisterBrokerBody) members(c *codec) {
	list(c, "filterServerList", &b.FilterServers, strValue)
	object(c, "topicConfigSerializeWrapper", &b.TopicConfig)
}

// Encode writes b as JSON.
func (b RegisterBrokerBody) Encode() []byte { return encodeBody(&b) }

// DecodeRegisterBrokerBody reads the body of an uncompressed registration.
func DecodeRegisterBrokerBody(data []byte) (RegisterBrokerBody, error) {
	return decodeBody[RegisterBrokerBody](data)
}
