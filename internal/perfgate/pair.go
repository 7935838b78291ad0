package main

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// slice is how long each side of a pair runs before the other takes its turn:
// long enough to be timed, short enough that both meet the same noise.
const slice = 4 * time.Millisecond

// A pair is one measured ratio: what the candidate costs, in units of the
// yardstick that runs beside it.
type pair struct {
	id, name string
	// bar is what the ratio must not exceed. goal, where set, is what is wanted.
	bar, goal float64
	candidate func()
	yardstick func()
	// weight is the pair's share of the budget; zero means 1.
	weight int
	// scale corrects for sides that do different amounts of work: the ratio is
	// multiplied by it. Zero means 1.
	scale float64
}

// A ratio is what measuring a pair gave: the median over all turns and the range
// that holds it with 95 % of the resampled medians.
type ratio struct{ median, low, high float64 }

// measure alternates the sides until the budget is used up: A B, B A, A B ...
func (p pair) measure(budget time.Duration) ratio {
	a, b := calibrated(p.candidate), calibrated(p.yardstick)
	scale := p.scale
	if scale == 0 {
		scale = 1
	}
	var ratios []float64
	for turn, until := 0, time.Now().Add(budget); turn < 5 || time.Now().Before(until); turn++ {
		if turn%16 == 0 {
			runtime.GC()
		}
		var costA, costB float64
		if turn%2 == 0 {
			costA, costB = a.once(), b.once()
		} else {
			costB, costA = b.once(), a.once()
		}
		ratios = append(ratios, costA/costB*scale)
	}
	return summary(ratios)
}

// A side is a function and how often it is called in one slice.
type side struct {
	call  func()
	count int
}

// once runs one slice and returns the nanoseconds of one call.
func (s side) once() float64 {
	start := time.Now()
	for range s.count {
		s.call()
	}
	return float64(time.Since(start).Nanoseconds()) / float64(s.count)
}

func calibrated(call func()) side {
	call() // what is made once is made now
	for count := 1; ; count *= 2 {
		s := side{call, count}
		if took := time.Duration(s.once() * float64(count)); took >= slice/2 || count > 1<<24 {
			s.count = max(1, int(float64(count)*float64(slice)/float64(took)))
			return s
		}
	}
}

// resamples is how often the range is drawn.
const resamples = 300

func summary(values []float64) ratio {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // a fixed seed is the point
	medians := make([]float64, resamples)
	drawn := make([]float64, len(values))
	for i := range medians {
		for j := range drawn {
			drawn[j] = values[random.IntN(len(values))]
		}
		medians[i] = median(drawn)
	}
	slices.Sort(medians)
	return ratio{median(values), medians[resamples*25/1000], medians[resamples*975/1000]}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// geometric combines ratios of several shapes into one.
func geometric(ratios []ratio) ratio {
	var m, l, h float64
	for _, r := range ratios {
		m, l, h = m+math.Log(r.median), l+math.Log(r.low), h+math.Log(r.high)
	}
	n := float64(len(ratios))
	return ratio{math.Exp(m / n), math.Exp(l / n), math.Exp(h / n)}
}
