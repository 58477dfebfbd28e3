// Contract: the answer to GetBrokerClusterInfo. Broker ids are unquoted keys whatever the
// sender's version. A name server that knows no broker may answer {}.

package protocol

// ClusterInfo is all brokers that a name server knows (Java: ClusterInfo).
type ClusterInfo struct {
	BrokerAddrTable  map[string]BrokerData // by broker name
	ClusterAddrTable map[string][]string   // broker names by cluster
}

func (b *ClusterInfo) members(c *codec) {
	if !c.writing || b.BrokerAddrTable != nil {
		textTable(c, "brokerAddrTable", &b.BrokerAddrTable, objectValue)
	}
	if !c.writing || b.ClusterAddrTable != nil {
		textTable(c, "clusterAddrTable", &b.ClusterAddrTable, texts)
	}
}

// Encode writes b as JSON.
func (b ClusterInfo) Encode() []byte { return encodeBody(&b) }

// DecodeClusterInfo reads the brokers of a name server.
func DecodeClusterInfo(data []byte) (ClusterInfo, error) { return decodeBody[ClusterInfo](data) }
