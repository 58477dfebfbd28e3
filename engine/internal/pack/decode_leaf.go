package pack

import (
	"math"
	"time"
	"unsafe"
)

func (d *decoder) decodeLeaf(l leaf, p unsafe.Pointer) (err *Error) {
	switch l {
	case leafInt64:
		*(*int64)(p), err = d.int()
	case leafUint64:
		*(*uint64)(p), err = d.uint()
	case leafBool:
		*(*bool)(p), err = d.bool()
	case leafInt8, leafInt16, leafInt32:
		return d.decodeInt(l, p)
	case leafUint8, leafUint16, leafUint32:
		return d.decodeUint(l, p)
	case leafFloat32:
		f, err := d.float()
		if float64(float32(f)) != f && f == f {
			err = problem("%v has too many digits", f)
		}
		*(*float32)(p) = float32(f)
		return err
	case leafFloat64:
		*(*float64)(p), err = d.float()
	case leafString:
		*(*string)(p), err = d.string()
	case leafBytes:
		n, err := d.count(1)
		if err != nil {
			return err
		}
		if n < 0 {
			*(*[]byte)(p) = nil
			return nil
		}
		b := make([]byte, n)
		copy(b, d.src[d.at:])
		*(*[]byte)(p) = b
		d.at += n
	case leafTime:
		*(*time.Time)(p), err = d.time()
	}
	return err
}

func (d *decoder) decodeInt(l leaf, p unsafe.Pointer) *Error {
	n, err := d.int()
	if err != nil {
		return err
	}
	fits := true
	switch l {
	case leafInt8:
		*(*int8)(p), fits = int8(n), int64(int8(n)) == n
	case leafInt16:
		*(*int16)(p), fits = int16(n), int64(int16(n)) == n
	case leafInt32:
		*(*int32)(p), fits = int32(n), int64(int32(n)) == n
	default:
		*(*int64)(p) = n
	}
	if !fits {
		return problem("%d is too large for it", n)
	}
	return nil
}

func (d *decoder) decodeUint(l leaf, p unsafe.Pointer) *Error {
	n, err := d.uint()
	if err != nil {
		return err
	}
	fits := true
	switch l {
	case leafUint8:
		*(*uint8)(p), fits = uint8(n), n <= math.MaxUint8
	case leafUint16:
		*(*uint16)(p), fits = uint16(n), n <= math.MaxUint16
	case leafUint32:
		*(*uint32)(p), fits = uint32(n), n <= math.MaxUint32
	default:
		*(*uint64)(p) = n
	}
	if !fits {
		return problem("%d is too large for it", n)
	}
	return nil
}
