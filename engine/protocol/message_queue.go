// Contract: a message queue and the data version, which stand inside many bodies.

package protocol

// DataVersion tells two states of a table apart (Java: DataVersion). stateVersion is absent
// in 4.x.
type DataVersion struct {
	Counter      int64
	StateVersion int64
	Timestamp    int64 // ms
}

func (d *DataVersion) members(c *codec) {
	c.i64("counter", &d.Counter)
	c.i64("stateVersion", &d.StateVersion)
	c.i64("timestamp", &d.Timestamp)
}

// Encode writes d as JSON.
func (d DataVersion) Encode() []byte { return encodeBody(&d) }

// DecodeDataVersion reads the body of QueryDataVersion, or the text of a version header.
func DecodeDataVersion(data []byte) (DataVersion, error) { return decodeBody[DataVersion](data) }
