package snapshot

// encodeReplay is where in a recording s stands. What is near it, and where one would want to
// look, is not in it: mqscope events lists that.
func encodeReplay(s *Snapshot) *object {
	r, o := &s.Replay, &object{now: s.At}
	o.put("file", r.File)
	o.put("event", r.Event)
	o.put("total", r.Total)
	o.time("at", r.At)
	o.time("from", r.From)
	o.time("to", r.To)
	o.put("inferred", r.Inferred)
	o.put("client", r.Client)
	o.put("bookmarks", encodeAll(r.Bookmarks, s.At, func(o *object, b Bookmark) {
		o.put("number", b.Number)
		o.put("event", b.Event)
		o.time("at", b.At)
		o.put("note", b.Note)
	}))
	o.put("damage", r.Damage)
	o.put("departed", r.Departed)
	o.put("note", r.Note)
	return o
}

// encodeRecorder is the recording that is made of the source.
func encodeRecorder(r *Recorder) *object {
	o := &object{}
	o.put("on", r.On)
	o.put("box", r.Box)
	o.put("file", r.File)
	o.put("bytes", r.Bytes)
	o.put("limit", r.Limit)
	o.put("error", r.Err)
	if r.LeftOut > 0 {
		o.put("messages_left_out", r.LeftOut)
	}
	if r.Saved.Times > 0 {
		o.put("saved_to", r.Saved.File)
		o.put("saved_why", r.Saved.Why)
		o.put("saved_times", r.Saved.Times)
	}
	return o
}
