package pack

// entries walks over a map. Texts by texts are leaves with a name, and can be dropped.
func (w *walker) entries(s *shape) *Error {
	least := s.key.least + s.elem.least
	n, err := w.d.count(max(1, least))
	if err != nil {
		return err
	}
	at, left, name := len(w.dst), n, w.leaf.Name
	w.dst = appendUint(w.dst, uint64(n+1))
	behind := len(w.dst)
	for range max(n, 0) {
		from := w.d.at
		before := len(w.dst)
		if err := w.copied(func() *Error { return w.d.skip(s.key) }); err != nil {
			return err
		}
		if s.key.kind == kString {
			w.leaf.Name = textOf(w.d.src[from:])
		}
		if err := w.copied(func() *Error { return w.d.padding(least) }); err != nil {
			return err
		}
		if s.key.kind == kString && (s.elem.kind == kString || s.elem.kind == kBytes) {
			dropped, err := w.entry(s.elem.kind)
			if err != nil {
				return err
			}
			if dropped {
				w.dst = w.dst[:before]
				left--
			}
		} else if err := w.value(s.elem); err != nil {
			return err
		}
	}
	w.leaf.Name = name
	if left != n { // the count takes as many bytes, or fewer
		all := w.dst[behind:]
		w.dst = append(appendUint(w.dst[:at], uint64(left+1)), all...)
	}
	return nil
}

// entry walks over the value of an entry that can be dropped.
func (w *walker) entry(k kind) (dropped bool, err *Error) {
	visit := w.visit
	defer func() { w.visit = visit }()
	w.visit = func(l *Leaf) ([]byte, Verdict) {
		with, verdict := visit(l)
		dropped = verdict == Drop
		return with, verdict
	}
	if k == kBytes {
		err = w.bytes()
	} else {
		err = w.text(false)
	}
	return dropped, err
}
