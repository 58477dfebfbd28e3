package snapshot

// Difference is a topic of which another member of the group wants other messages than this
// one. Brokers keep one subscription of a topic for a whole group.
type Difference struct {
	Topic        string
	Ours, Theirs string // expressions, empty where the topic is not subscribed to; untrusted text
	// TheirsIsNewer says that, of two expressions, brokers filter by theirs, for all members.
	TheirsIsNewer bool
}
