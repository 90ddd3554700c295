package realm

import (
	"math"
	"math/big"
)

// power is x ** y, rounded as C libraries do, so that 8 ** (1 / 3) is 2: Go's differs in the last digits of a
// third of the results. It is computed with some 90 bits.
func power(x, y float64) float64 {
	size := math.Abs(x)
	switch {
	case y == 0 || y == 1 || x == 0 || math.IsNaN(x+y) || math.IsInf(x, 0) || math.IsInf(y, 0) || x < 0 && y != math.Trunc(y), size == 1:
		return easyPower(x, y)
	case y == 2:
		return x * x
	}
	result, ok := multiplied(size, y)
	if !ok {
		l := logarithm(size)
		const most = 800 // far more than there are numbers for
		if about := l.high * y; math.Abs(about) > most {
			result = math.Exp(about)
		} else {
			result = exponential(l.times(y))
		}
	}
	if x < 0 && math.Mod(y, 2) != 0 {
		return -result
	}
	return result
}

// easyPower is a power that needs no digits.
func easyPower(x, y float64) float64 {
	if math.Abs(x) == 1 && math.IsInf(y, 0) || y != 0 && math.IsNaN(y) {
		return math.NaN()
	}
	return math.Pow(x, y)
}

// multiplied is a power whose exponent is a small integer: of short numbers it is exact.
func multiplied(x, y float64) (float64, bool) {
	const most = 64
	if y < 2 || y > most || y != math.Trunc(y) {
		return 0, false
	}
	const bits = 900 // that the result may have before or behind the point
	if _, exponent := math.Frexp(x); math.Abs(float64(exponent))*y > bits {
		return 0, false
	}
	result, square := pair{1, 0}, pair{x, 0}
	for n := int(y); ; square = square.by(square) {
		if n&1 != 0 {
			result = result.by(square)
		}
		if n >>= 1; n == 0 {
			return result.high + result.low, true
		}
	}
}

// pair is the sum of two numbers, of which the second is below the last digit of the first.
type pair struct{ high, low float64 }

// sumOf is a + b, where a is the larger one.
func sumOf(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

// exactSum is a + b.
func exactSum(a, b float64) pair {
	s := a + b
	other := s - a
	return pair{s, (a - (s - other)) + (b - other)}
}

func (p pair) by(q pair) pair {
	product := p.high * q.high
	return sumOf(product, math.FMA(p.high, q.high, -product)+(p.high*q.low+p.low*q.high))
}

func (p pair) times(n float64) pair {
	product := p.high * n
	return sumOf(product, math.FMA(p.high, n, -product)+p.low*n)
}

// The logarithm of 2 in three parts. The first two have so few digits that their products with exponents
// are exact.
const ln2a, ln2b, ln2c = 0x1.62e42fefa38p-1, 0x1.ef35793c76p-45, 0x1.cc01f97b57a08p-87

// logarithm is that of a positive number, with some 74 bits that count.
func logarithm(x float64) pair {
	m, exponent := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		exponent--
	}
	f := m - 1
	var l pair
	const near = 0x1p-10
	if math.Abs(f) < near {
		square := f * f
		rest := square * f * (1.0/3 - f*(1.0/4-f*(1.0/5-f*(1.0/6-f*(1.0/7-f/8)))))
		l = sumOf(f, -square/2)
		l = sumOf(l.high, l.low-math.FMA(f, f, -square)/2+rest)
	} else {
		about := math.Log(m)
		less := exponentialLess1(pair{-about, 0})
		// m times that, and m, is 1 and a rest, whose logarithm is nearly itself.
		product := m * less.high
		rest := f + product + (math.FMA(m, less.high, -product) + m*less.low)
		l = sumOf(about, rest)
	}
	if exponent == 0 {
		return l
	}
	k := float64(exponent)
	whole := exactSum(k*ln2a, l.high)
	return sumOf(whole.high, whole.low+l.low+k*ln2b+k*ln2c)
}

// exponentialLess1 is that of a number below 0.4, less 1.
func exponentialLess1(p pair) pair {
	const halvings = 9
	s := pair{p.high / (1 << halvings), p.low / (1 << halvings)}
	square := s.high * s.high
	rest := square * s.high * (1.0/6 + s.high*(1.0/24+s.high*(1.0/120+s.high/720)))
	result := sumOf(s.high, square/2)
	result = sumOf(result.high, result.low+(s.low+math.FMA(s.high, s.high, -square)/2+s.high*s.low+rest))
	for range halvings { // (1 + a)² - 1 = 2a + a²
		square := result.high * result.high
		low := math.FMA(result.high, result.high, -square) + 2*result.high*result.low + 2*result.low
		result = sumOf(2*result.high, square)
		result.low += low
	}
	return result
}

// exponential is that of a sum, as a number.
func exponential(p pair) float64 {
	k := math.Round(p.high / math.Ln2)
	rest := exactSum(p.high, -k*ln2a)
	rest = sumOf(rest.high, rest.low+p.low-k*ln2b-k*ln2c)
	result := exponentialLess1(rest)
	whole := exactSum(1, result.high)
	whole.low += result.low
	const least = -1000
	if k > least {
		return math.Ldexp(whole.high+whole.low, int(k))
	}
	// With fewer digits it is to be rounded but once.
	const digits = 200
	sum := new(big.Float).SetPrec(digits).SetFloat64(whole.high)
	sum.Add(sum, big.NewFloat(whole.low))
	n, _ := sum.SetMantExp(sum, int(k)).Float64()
	return n
}
