// Contract: PUT_KV_CONFIG (100), GET_KV_CONFIG (101), DELETE_KV_CONFIG (102) and
// GET_KVLIST_BY_NAMESPACE (219, answered by KVTable) of a name server; 22 when there is
// nothing. Put and delete go to every name server.

package protocol

// PutKVConfigRequest stores a value (Java: PutKVConfigRequestHeader).
type PutKVConfigRequest struct {
	Namespace string
	Key       string
	Value     string
}

func (h *PutKVConfigRequest) visit(v *visitor) {
	v.str("namespace", &h.Namespace, required)
	v.str("key", &h.Key, required)
	v.str("value", &h.Value, required)
}

// GetKVConfigRequest reads a value (Java: GetKVConfigRequestHeader).
type GetKVConfigRequest struct {
	Namespace string
	Key       string
}

func (h *GetKVConfigRequest) visit(v *visitor) {
	v.str("namespace", &h.Namespace, required)
	v.str("key", &h.Key, required)
}

// GetKVConfigResponse is the value (Java: GetKVConfigResponseHeader).
type GetKVConfigResponse struct {
	Value string
}

func (h *GetKVConfigResponse) visit(v *visitor) {
	v.str("value", &h.Value, optional)
}

// DeleteKVConfigRequest removes a value (Java: DeleteKVConfigRequestHeader).
type DeleteKVConfigRequest struct {
	Namespace string
	Key       string
}

func (h *DeleteKVConfigRequest) visit(v *visitor) {
	v.str("namespace", &h.Namespace, required)
	v.str("key", &h.Key, required)
}

// GetKVListByNamespaceRequest reads all values of a namespace (Java:
// GetKVListByNamespaceRequestHeader).
type GetKVListByNamespaceRequest struct {
	Namespace string
}

func (h *GetKVListByNamespaceRequest) visit(v *visitor) {
	v.str("namespace", &h.Namespace, required)
}

// KVTable is a table of texts, such as a broker's runtime info (Java: KVTable).
type KVTable struct{ Table map[string]string }

func (b *KVTable) members(c *codec) { textTable(c, "table", &b.Table, strValue) }

// Encode writes b as JSON.
func (b KVTable) Encode() []byte { return encodeBody(&b) }

// DecodeKVTable reads a table of texts.
func DecodeKVTable(data []byte) (KVTable, error) { return decodeBody[KVTable](data) }
