// Contract: users and access lists (ACL 2.0): 3001 to 3010, with UserInfo and AclInfo as
// bodies. Empty results are code 0 without a body; 16, 29 and 1 refuse.

package protocol

// UserRequest names a user; update, delete and get have the same field (Java:
// CreateUserRequestHeader).
type UserRequest struct {
	Username string
}

func (h *UserRequest) visit(v *visitor) {
	v.str("username", &h.Username, optional)
}

// ListUsersRequest asks for users (Java: ListUsersRequestHeader).
type ListUsersRequest struct {
	Filter string
}

func (h *ListUsersRequest) visit(v *visitor) {
	v.str("filter", &h.Filter, optional)
}

// AclRequest names the subject of an access list; update and get have the same field (Java:
// CreateAclRequestHeader).
type AclRequest struct {
	Subject string // User:name
}

func (h *AclRequest) visit(v *visitor) {
	v.str("subject", &h.Subject, optional)
}

// DeleteAclRequest removes a policy or one resource of it (Java: DeleteAclRequestHeader).
type DeleteAclRequest struct {
	Subject    string
	PolicyType string
	Resource   string
}

func (h *DeleteAclRequest) visit(v *visitor) {
	v.str("subject", &h.Subject, optional)
	v.str("policyType", &h.PolicyType, optional)
	v.str("resource", &h.Resource, optional)
}

// ListAclsRequest asks for access lists (Java: ListAclsRequestHeader).
type ListAclsRequest struct {
	SubjectFilter  string
	ResourceFilter string
}

func (h *ListAclsRequest) visit(v *visitor) {
	v.str("subjectFilter", &h.SubjectFilter, optional)
	v.str("resourceFilter", &h.ResourceFilter, optional)
}

// UserInfo is a user of a broker (Java: UserInfo). Password is a secret: never log it.
type UserInfo struct {
	Password   string
	UserStatus string // enable or disable
	UserType   string // Super or Normal
	Username   string
}

func (u *UserInfo) members(c *codec) {
	c.str("password", &u.Password)
	c.str("userStatus", &u.UserStatus)
	c.str("userType", &u.UserType)
	c.str("username", &u.Username)
}

// Encode writes u as JSON.
func (u UserInfo) Encode() []byte { return encodeBody(&u) }

// DecodeUserInfo reads a user.
func DecodeUserInfo(data []byte) (UserInfo, error) { return decodeBody[UserInfo](data) }

// AclInfo is what a subject may do (Java: AclInfo).
type AclInfo struct {
	Policies []AclPolicy
	Subject  string // User:name
}

// AclPolicy is the entries of one type (Java: AclInfo.PolicyInfo).
type AclPolicy struct {
	Entries    []AclEntry
	PolicyType string // Custom or Default; empty when not said
}

// AclEntry is what is allowed or denied on one resource (Java: AclInfo.PolicyEntryInfo).
type AclEntry struct {
	Actions   []string // All, Any, Pub, Sub, Create, Update, Delete, Get, List
	Decision  string   // Allow or Deny
	Resource  string   // Topic:name, Group:name, ...
	SourceIPs []string
}

func (a *AclInfo) members(c *codec) {
	objects(c, "policies", &a.Policies)
	c.str("subject", &a.Subject)
}

func (p *AclPolicy) members(c *codec) {
	objects(c, "entries", &p.Entries)
	c.str("policyType", &p.PolicyType)
}

func (e *AclEntry) members(c *codec) {
	list(c, "actions", &e.Actions, strValue)
	c.str("decision", &e.Decision)
	c.str("resource", &e.Resource)
	list(c, "sourceIps", &e.SourceIPs, strValue)
}

// Encode writes a as JSON.
func (a AclInfo) Encode() []byte { return encodeBody(&a) }

// DecodeAclInfo reads an access list.
func DecodeAclInfo(data []byte) (AclInfo, error) { return decodeBody[AclInfo](data) }
