package processqueue

type watch struct {
	below func(count int, bytes, span int64) bool
	freed func()
}

// Watch arms one call of freed, made (outside the mutex, by whoever resolves messages) as
// soon as below(count, bytes, span) is true; it replaces an earlier watch. It is called at
// once when it is true already. Neither function may block.
func (q *Queue) Watch(below func(count int, bytes, span int64) bool, freed func()) {
	q.watch.Store(&watch{below, freed})
	q.checkWatch()
}

// checkWatch follows every change that makes room. Counts are stored before the watch is
// read here, and the watch is stored before they are read in Watch: one of the two sees it.
func (q *Queue) checkWatch() {
	w := q.watch.Load()
	if w == nil || !w.below(q.Load()) {
		return
	}
	if q.watch.CompareAndSwap(w, nil) {
		w.freed()
	}
}
