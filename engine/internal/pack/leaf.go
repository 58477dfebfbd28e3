package pack

import (
	"encoding/binary"
	"math"
	"net/netip"
	"reflect"
	"time"
	"unsafe"
)

// leaf is a value without others inside it, by its width.
type leaf uint8

const (
	notLeaf leaf = iota
	leafBool
	leafInt8
	leafInt16
	leafInt32
	leafInt64
	leafUint8
	leafUint16
	leafUint32
	leafUint64
	leafFloat32
	leafFloat64
	leafString
	leafBytes
	leafTime
)

// leafOf is the leaf that a t is, notLeaf if it is none.
func leafOf(t reflect.Type) leaf {
	if isAtomic(t) || t == addrType || t == addrPortType {
		return notLeaf
	}
	k, err := kindOf(t)
	if err != nil {
		return notLeaf
	}
	switch k {
	case kBool:
		return leafBool
	case kInt:
		return leafInt8 + widthOf(t)
	case kUint:
		return leafUint8 + widthOf(t)
	case kFloat:
		if t.Size() == 4 {
			return leafFloat32
		}
		return leafFloat64
	case kString:
		return leafString
	case kBytes:
		return leafBytes
	case kTime:
		return leafTime
	default:
		return notLeaf
	}
}

func widthOf(t reflect.Type) leaf {
	switch t.Size() {
	case 1:
		return 0
	case 2:
		return 1
	case 4:
		return 2
	}
	return 3
}

func appendLeaf(dst []byte, l leaf, p unsafe.Pointer) []byte {
	switch l {
	case leafBool, leafUint8:
		if c := *(*byte)(p); c < 0x80 {
			return append(dst, c)
		}
		return binary.AppendUvarint(dst, uint64(*(*byte)(p)))
	case leafInt8:
		return appendInt(dst, int64(*(*int8)(p)))
	case leafInt16:
		return appendInt(dst, int64(*(*int16)(p)))
	case leafInt32:
		return appendInt(dst, int64(*(*int32)(p)))
	case leafInt64:
		return appendInt(dst, *(*int64)(p))
	case leafUint16:
		return appendUint(dst, uint64(*(*uint16)(p)))
	case leafUint32:
		return appendUint(dst, uint64(*(*uint32)(p)))
	case leafUint64:
		return appendUint(dst, *(*uint64)(p))
	case leafFloat32:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(float64(*(*float32)(p))))
	case leafFloat64:
		return binary.LittleEndian.AppendUint64(dst, math.Float64bits(*(*float64)(p)))
	case leafString:
		return appendString(dst, *(*string)(p))
	case leafBytes:
		b := *(*[]byte)(p)
		if b == nil {
			return append(dst, 0)
		}
		return append(appendUint(dst, uint64(len(b))+1), b...)
	case leafTime:
		return appendTime(dst, (*time.Time)(p))
	}
	return dst
}

func appendUint(dst []byte, n uint64) []byte {
	if n < 0x80 {
		return append(dst, byte(n))
	}
	return binary.AppendUvarint(dst, n)
}

func appendInt(dst []byte, n int64) []byte {
	return appendUint(dst, uint64(n)<<1^uint64(n>>63))
}

func appendString(dst []byte, s string) []byte {
	return append(appendUint(dst, uint64(len(s))), s...)
}

// How a time is written; the zero time is one byte.
const (
	timeZero    = 0
	timeNanos   = 2 // since 1970
	timeSeconds = 4 // since 1970, and nanoseconds
	timeLocal   = 1 // in addition: shown in the time zone of who looks
)

func appendTime(dst []byte, t *time.Time) []byte {
	how := byte(timeZero)
	if t.Location() == time.Local {
		how = timeLocal
	}
	seconds := t.Unix()
	switch {
	case t.IsZero():
		return append(dst, how)
	case seconds > -9e9 && seconds < 9e9:
		return appendInt(append(dst, how|timeNanos), seconds*1e9+int64(t.Nanosecond()))
	}
	return appendUint(appendInt(append(dst, how|timeSeconds), seconds), uint64(t.Nanosecond()))
}

func appendAddr(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
	a := (*netip.Addr)(p)
	return appendText(dst, a.IsValid(), a.AppendTo)
}

func appendAddrPort(_ *encoder, dst []byte, p unsafe.Pointer) []byte {
	a := (*netip.AddrPort)(p)
	return appendText(dst, a.IsValid(), a.AppendTo)
}

func appendText(dst []byte, valid bool, text func([]byte) []byte) []byte {
	if !valid {
		return append(dst, 0)
	}
	var room [64]byte
	b := text(room[:0])
	return append(appendUint(dst, uint64(len(b))), b...)
}
