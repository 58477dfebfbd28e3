package treemap

import "math"

// rect is a rectangle of cells with its edges, which neighbours share: columns x0 and x1 and
// lines y0 and y1 are edges.
type rect struct{ x0, y0, x1, y1 int }

func (r rect) w() int { return r.x1 - r.x0 }
func (r rect) h() int { return r.y1 - r.y0 }

// The least rectangle that is drawn: 6 by 2 cells inside, and an edge each.
const (
	leastW = 7
	leastH = 3
)

// aspect is how many times a cell is higher than wide.
const aspect = 2

// squarify cuts r into one rectangle for each size, in their order and as square as can be,
// so that each is large enough to be drawn. ok is false when they do not fit; sizes must not
// be negative.
func squarify(sizes []float64, r rect, out []rect) (_ []rect, ok bool) {
	rest := 0.0
	for _, s := range sizes {
		rest += s
	}
	for len(sizes) > 0 {
		if r.w() < leastW || r.h() < leastH {
			return out, false
		}
		if len(sizes) == 1 {
			return append(out, r), true
		}
		n, sum := strip(sizes, rest, r)
		if n == 0 {
			return out, false
		}
		upright := r.w() >= aspect*r.h()
		length, side, least, leastSide := r.h(), r.w(), leastH, leastW
		if !upright {
			length, side, least, leastSide = side, length, leastSide, least
		}
		thick := side
		if n < len(sizes) {
			thick = min(max(share(side, sum, rest), leastSide), side-leastSide)
			if thick < leastSide { // what is left would not fit beside the strip
				if len(sizes)*least > length {
					return out, false
				}
				n, sum, thick = len(sizes), rest, side
			}
		}
		at, left := 0, sum
		for i, s := range sizes[:n] {
			size := length - at
			if i < n-1 {
				size = min(max(share(length-at, s, left), least), length-at-(n-1-i)*least)
			}
			if upright {
				out = append(out, rect{r.x0, r.y0 + at, r.x0 + thick, r.y0 + at + size})
			} else {
				out = append(out, rect{r.x0 + at, r.y0, r.x0 + at + size, r.y0 + thick})
			}
			at, left = at+size, left-s
		}
		if upright {
			r.x0 += thick
		} else {
			r.y0 += thick
		}
		sizes, rest = sizes[n:], rest-sum
	}
	return out, true
}

// share is the part of n cells that size has of sum.
func share(n int, size, sum float64) int {
	if sum <= 0 {
		return 0
	}
	return int(math.Round(float64(n) * min(size/sum, 1)))
}

// strip finds how many of sizes make the best strip along the shorter side of r, and their
// sum; 0 when not even one is long enough.
func strip(sizes []float64, rest float64, r rect) (n int, sum float64) {
	w, h := float64(r.w()), float64(r.h()*aspect)
	length, side, most := h, w, r.h()/leastH
	if r.w() < aspect*r.h() {
		length, side, most = w, h, r.w()/leastW
	}
	best := math.Inf(1)
	grown := 0.0
	for i, s := range sizes {
		if i >= most {
			break
		}
		grown += s
		thick := side
		if rest > 0 {
			thick = side * grown / rest
		}
		worst := 1.0
		for _, s := range sizes[:i+1] {
			part := length / float64(i+1)
			if grown > 0 {
				part = length * s / grown
			}
			if part <= 0 || thick <= 0 {
				worst = math.MaxFloat64
				continue
			}
			worst = max(worst, part/thick, thick/part)
		}
		if worst > best {
			break
		}
		best, n, sum = worst, i+1, grown
	}
	return n, sum
}
