package pack

// skip passes over a value of this shape.
func (d *decoder) skip(s *shape) *Error {
	var err *Error
	switch s.kind {
	case kBool, kInt, kUint:
		_, err = d.uint()
	case kFloat:
		_, err = d.take(8)
	case kString:
		_, err = d.text()
	case kBytes:
		var n int
		if n, err = d.count(1); err == nil && n > 0 {
			_, err = d.take(uint64(n))
		}
	case kRaw:
		_, err = d.take(uint64(s.count))
	case kTime:
		_, err = d.time()
	case kError:
		err = d.skipError()
	case kAny:
		err = d.skipAny()
	case kPointer:
		err = d.skipPointer(s)
	default:
		err = d.skipInside(s)
	}
	return err
}

func (d *decoder) skipInside(s *shape) *Error {
	if err := d.deeper(); err != nil {
		return err
	}
	defer func() { d.depth-- }()
	switch s.kind {
	case kSlice, kMap:
		least := s.elem.least
		if s.kind == kMap {
			least += s.key.least
		}
		n, err := d.count(max(1, least))
		for i := 0; i < n && err == nil; i++ {
			if s.kind == kMap {
				err = d.skip(s.key)
			}
			if err == nil {
				err = d.padding(least)
			}
			if err == nil {
				err = d.skip(s.elem)
			}
		}
		return err
	case kArray:
		for i := 0; i < s.count && s.least > 0; i++ {
			if err := d.skip(s.elem); err != nil {
				return err
			}
		}
	case kStruct:
		for _, f := range s.fields {
			if f.shape.least == 0 {
				continue
			}
			if err := d.skip(f.shape); err != nil {
				return err.in(f.name)
			}
		}
	default:
	}
	return nil
}

func (d *decoder) skipPointer(s *shape) *Error {
	n, err := d.uint()
	if err != nil || n == 0 {
		return err
	}
	if n > 1 {
		if n-2 >= uint64(len(d.pointers)) {
			return problem("there is no pointer %d before it", n-2)
		}
		return nil
	}
	if d.next == len(d.pointers) {
		d.pointers = append(d.pointers, place{at: d.at, shape: s.elem})
	}
	d.next++
	if err := d.deeper(); err != nil {
		return err
	}
	err = d.skip(s.elem)
	d.depth--
	return err
}

func (d *decoder) skipAny() *Error {
	n, err := d.uint()
	switch {
	case err != nil || n == 0:
		return err
	case n == 1:
		return d.skipError()
	}
	s, err := d.codec.shapeNumbered(n - 2)
	if err != nil {
		return err
	}
	if err := d.deeper(); err != nil {
		return err
	}
	err = d.skip(s)
	d.depth--
	return err
}

func (d *decoder) skipError() *Error {
	how, err := d.uint()
	if err != nil {
		return err
	}
	if err := d.deeper(); err != nil {
		return err
	}
	defer func() { d.depth-- }()
	switch how {
	case errNil:
	case errText:
		_, err = d.text()
	case errWrapped:
		if _, err = d.text(); err == nil {
			err = d.skipError()
		}
	case errJoined:
		var n uint64
		if _, err = d.text(); err == nil {
			n, err = d.uint()
		}
		for ; n > 0 && err == nil; n-- {
			err = d.skipError()
		}
	case errSentinel:
		_, err = d.uint()
	case errTyped:
		err = d.skipAny()
	default:
		err = problem("no error is written as %d", how)
	}
	return err
}

// shapeNumbered is how values of the type with a number were written.
func (c *Codec) shapeNumbered(n uint64) (*shape, *Error) {
	if c.theirs != nil {
		if n >= uint64(len(c.theirs.types)) {
			return nil, problem("there is no type %d", n)
		}
		return c.theirs.types[n].shape, nil
	}
	if n >= uint64(len(c.types)) {
		return nil, problem("there is no type %d", n)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s, err := c.shapeOf(c.types[n])
	if err != nil {
		panic(err)
	}
	return s, nil
}
