package snapshot

// ConsumerKind is what sort of consumer a snapshot is of.
type ConsumerKind uint8

const (
	PushKind      ConsumerKind = iota // pulls by itself and calls a listener
	PullKind                          // the application pulls
	ScheduledKind                     // a callback of the application pulls, queue by queue
	LiteKind                          // pulls by itself, the application polls
	PopKind                           // seen from outside: the broker hands out single messages
	PassiveKind                       // seen from outside: push, whether in order is not known
	UnseenKind                        // seen from outside: no member told what it is
)

// String is the word on screen and in JSON.
func (k ConsumerKind) String() string {
	return [...]string{"push", "pull", "scheduled", "lite", "pop", "push", "?"}[k]
}

// Mode says what sort of consumer it is and, in Java's words, its message model.
func (g *Group) Mode() string {
	kind := g.Kind.String()
	if g.Kind == UnseenKind {
		return kind
	}
	if g.Kind == PushKind {
		kind = "concurrent"
		if g.Orderly {
			kind = "orderly"
		}
	}
	return kind + " " + g.Model.String()
}
