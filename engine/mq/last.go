package mq

// Last remembers the last look into a map by MessageQueue: who does something about a queue asks for
// it several times in a row, and two strings are dear to hash. Its zero value remembers nothing. Whoever
// puts into the map or takes out of it calls Forget. It belongs to who owns the map.
type Last[V any] struct {
	queue MessageQueue
	value V
	known bool
}

// Of is m[q], ok tells whether it is there.
func (l *Last[V]) Of(m map[MessageQueue]V, q MessageQueue) (v V, ok bool) {
	if l.known && l.queue == q {
		return l.value, true
	}
	if v, ok = m[q]; ok {
		l.queue, l.value, l.known = q, v, true
	}
	return v, ok
}

// Forget has the map be looked into again.
func (l *Last[V]) Forget() { *l = Last[V]{} }
