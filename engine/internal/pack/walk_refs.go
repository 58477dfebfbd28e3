package pack

func (w *walker) pointer(s *shape) *Error {
	n, err := w.count()
	if err != nil || n == 0 {
		return err
	}
	if n > 1 {
		if n-2 >= uint64(w.d.next) {
			return problem("there is no pointer %d before it", n-2)
		}
		return nil
	}
	w.d.next++
	for len(w.d.pointers) < w.d.next { // what passes over values counts them too
		w.d.pointers = append(w.d.pointers, place{})
	}
	return w.value(s.elem)
}

func (w *walker) any() *Error {
	n, err := w.count()
	switch {
	case err != nil || n == 0:
		return err
	case n == 1:
		return w.err()
	}
	s, err := w.d.codec.shapeNumbered(n - 2)
	if err != nil {
		return err
	}
	return w.value(s)
}

func (w *walker) err() *Error {
	if err := w.d.deeper(); err != nil {
		return err
	}
	defer func() { w.d.depth-- }()
	how, err := w.count()
	if err != nil {
		return err
	}
	switch how {
	case errNil:
		return nil
	case errText:
		return w.text(true)
	case errWrapped:
		if err := w.text(true); err != nil {
			return err
		}
		return w.err()
	case errJoined:
		if err := w.text(true); err != nil {
			return err
		}
		n, err := w.count()
		for ; n > 0 && err == nil; n-- {
			err = w.err()
		}
		return err
	case errSentinel:
		_, err := w.count()
		return err
	case errTyped:
		return w.any()
	}
	return problem("no error is written as %d", how)
}
