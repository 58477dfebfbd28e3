// Contract: GET_ROUTEINFO_BY_TOPIC (105) asks a name server for a topic's route:
// TopicRouteData as body, 17 for an unknown topic, 1 while warming up. Standard JSON comes to
// senders of version 401 on or with acceptStandardJsonOnly.

package protocol

// GetRouteInfoRequest asks for the route of a topic (Java: GetRouteInfoRequestHeader).
type GetRouteInfoRequest struct {
	TopicBase

	Topic                  string
	AcceptStandardJSONOnly Opt[bool]
}

func (h *GetRouteInfoRequest) visit(v *visitor) {
	h.visitTopicBase(v)
	v.str("topic", &h.Topic, required)
	v.optBool("acceptStandardJsonOnly", &h.AcceptStandardJSONOnly)
}
