package snapshot

// ConsumerKind is what sort of consumer a snapshot is of.
type ConsumerKind uint8

const (
	PushKind      ConsumerKind = iota // pulls by itself and calls a listener
	PullKind                          // the application pulls
	ScheduledKind                     // a callback of the application pulls, queue by queue
	LiteKind                          // pulls by itself, the application polls
)

// String is the word on screen and in JSON.
func (k ConsumerKind) String() string {
	return [...]string{"push", "pull", "scheduled", "lite"}[k]
}

// Mode is the message model in Java's words; of a consumer that is no push consumer, its kind
// stands before it.
func (g *Group) Mode() string {
	if g.Kind == PushKind {
		return g.Model.String()
	}
	return g.Kind.String() + " " + g.Model.String()
}
