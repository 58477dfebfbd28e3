// Contract: CHECK_CLIENT_CONFIG (46): a broker compiles the expression of a subscription. TAG
// always passes; 1 when SQL92 is switched off (the default), 23 when it does not parse. No
// header fields, no answer body.

package protocol

// CheckClientRequestBody is the subscription to check (Java: CheckClientRequestBody).
type CheckClientRequestBody struct {
	ClientID     string
	Group        string
	Namespace    string
	Subscription SubscriptionData
}

func (b *CheckClientRequestBody) members(c *codec) {
	c.str("clientId", &b.ClientID)
	c.str("group", &b.Group)
	c.str("namespace", &b.Namespace)
	if !c.writing {
		b.Subscription.ExpressionType = ExpressionTAG
	}
	object(c, "subscriptionData", &b.Subscription)
}

// Encode writes b as JSON.
func (b CheckClientRequestBody) Encode() []byte { return encodeBody(&b) }

// DecodeCheckClientRequestBody reads the body of CheckClientConfig.
func DecodeCheckClientRequestBody(data []byte) (CheckClientRequestBody, error) {
	return decodeBody[CheckClientRequestBody](data)
}
