// Contract: GET_PRODUCER_CONNECTION_LIST (204) and GET_ALL_PRODUCER_INFO (328): who is
// connected to produce. 204 answers with a ProducerConnection or 1 when nobody is, 328 with a
// ProducerTable.

package protocol

// GetProducerConnectionListRequest asks for the connections of a producer group (Java:
// GetProducerConnectionListRequestHeader).
type GetProducerConnectionListRequest struct {
	Base

	ProducerGroup string
}

func (h *GetProducerConnectionListRequest) visit(v *visitor) {
	h.visitBase(v)
	v.str("producerGroup", &h.ProducerGroup, required)
}

// GetAllProducerInfoRequest asks for all producers; it has no fields (Java:
// GetAllProducerInfoRequestHeader).
type GetAllProducerInfoRequest struct{}

func (h *GetAllProducerInfoRequest) visit(*visitor) {}

// ProducerConnection is who is connected for a producer group (Java: ProducerConnection).
type ProducerConnection struct{ Connections []Connection }

func (b *ProducerConnection) members(c *codec) { objects(c, "connectionSet", &b.Connections) }

// Encode writes b as JSON.
func (b ProducerConnection) Encode() []byte { return encodeBody(&b) }

// DecodeProducerConnection reads the answer to GetProducerConnectionList.
func DecodeProducerConnection(data []byte) (ProducerConnection, error) {
	return decodeBody[ProducerConnection](data)
}

// ProducerTable is all producers of a broker by group (Java: ProducerTableInfo).
type ProducerTable struct{ Groups map[string][]ProducerInfo }

// ProducerInfo is one connected producer (Java: ProducerInfo).
type ProducerInfo struct {
	ClientID            string
	Language            string
	LastUpdateTimestamp int64 // ms
	RemoteIP            string
	Version             int32
}

func (b *ProducerTable) members(c *codec) {
	textTable(c, "data", &b.Groups, func(c *codec, p *[]ProducerInfo) {
		listValue(c, p, objectValue)
	})
}

func (b *ProducerInfo) members(c *codec) {
	c.str("clientId", &b.ClientID)
	c.str("language", &b.Language)
	c.i64("lastUpdateTimestamp", &b.LastUpdateTimestamp)
	c.str("remoteIP", &b.RemoteIP)
	c.i32("version", &b.Version)
}

// Encode writes b as JSON.
func (b ProducerTable) Encode() []byte { return encodeBody(&b) }

// DecodeProducerTable reads the answer to GetAllProducerInfo.
func DecodeProducerTable(data []byte) (ProducerTable, error) { return decodeBody[ProducerTable](data) }
