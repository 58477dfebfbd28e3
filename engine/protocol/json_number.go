// Contract: how the values of a body become Go values. Numbers may stand in strings, true is
// 1, a fraction is cut off, and what does not fit is an error (Java: fastjson's TypeUtils).

package protocol

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

func isRangeError(err error) bool { return errors.Is(err, strconv.ErrRange) }

// integer reads n as an integer of so many bits. null and the empty string are 0.
func (n *node) integer(bits int) (int64, bool) {
	switch n.kind {
	case nullNode:
		return 0, true
	case boolNode:
		if n.text == "true" {
			return 1, true
		}
		return 0, true
	case numberNode, stringNode:
		text := strings.TrimSpace(n.text)
		if text == "" || text == "null" {
			return 0, n.kind == stringNode
		}
		if v, err := strconv.ParseInt(text, 10, bits); err == nil {
			return v, true
		}
		return decimalInteger(text, bits)
	}
	return 0, false
}

// decimalInteger reads texts such as 100.0, 1e2 and -12.5 exactly and drops the fraction.
func decimalInteger(text string, bits int) (int64, bool) {
	const mostDigits = 19
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimLeft(text, "+-")
	mantissa, exponent, exp := text, "", 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
		e, err := strconv.Atoi(exponent)
		if err != nil {
			return 0, false
		}
		exp = e
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	point := len(whole) + exp // how many of the digits stand before the point
	if exp > math.MaxInt32 || exp < math.MinInt32 {
		return 0, strings.Trim(digits, "0") == ""
	}
	leading := len(digits) - len(strings.TrimLeft(digits, "0"))
	digits, point = digits[leading:], point-leading
	if digits == "" || point <= 0 {
		return 0, true
	}
	if point > mostDigits {
		return 0, false
	}
	if point <= len(digits) {
		digits = digits[:point]
	} else {
		digits += strings.Repeat("0", point-len(digits))
	}
	if negative {
		digits = "-" + digits
	}
	v, err := strconv.ParseInt(digits, 10, bits)
	return v, err == nil
}

// float reads n as a double. null, NaN and infinities are 0: Java writes them as null.
func (n *node) float() (float64, bool) {
	switch n.kind {
	case nullNode:
		return 0, true
	case numberNode, stringNode:
		text := strings.TrimSpace(n.text)
		if text == "" || text == "null" {
			return 0, n.kind == stringNode
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil && !isRangeError(err) {
			return 0, false
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, true
		}
		return v, true
	}
	return 0, false
}

// boolean reads n as a bool: true, "true", "1", "Y" and 1 are true.
func (n *node) boolean() (bool, bool) {
	switch n.kind {
	case nullNode:
		return false, true
	case boolNode:
		return n.text == "true", true
	case numberNode:
		v, ok := n.integer(64)
		return v == 1, ok
	case stringNode:
		switch strings.ToLower(n.text) {
		case "true", "1", "y", "t":
			return true, true
		case "false", "0", "n", "f", "", "null":
			return false, true
		}
	}
	return false, false
}
