package main

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMedian(t *testing.T) {
	tests := []struct {
		name   string
		values []float64
		want   float64
	}{
		{"one", []float64{3}, 3},
		{"odd", []float64{9, 1, 5}, 5},
		{"even", []float64{8, 1, 2, 4}, 3},
		{"outlier", []float64{1, 1, 1, 1, 1e9}, 1},
	}
	for _, tt := range tests {
		if got := median(tt.values); got != tt.want {
			t.Errorf("%s: median(%v) = %v, want %v", tt.name, tt.values, got, tt.want)
		}
	}
}

// TestSummary checks the range: it holds the median, is a point without noise, narrows with the number of turns,
// and is the same each time.
func TestSummary(t *testing.T) {
	if got, want := summary([]float64{2, 2, 2, 2, 2}), (ratio{2, 2, 2}); got != want {
		t.Errorf("without noise: %v, want %v", got, want)
	}
	noisy := func(n int) (values []float64) {
		for i := range n {
			values = append(values, 1+float64(i%10)/10)
		}
		return values
	}
	few, many := summary(noisy(20)), summary(noisy(2000))
	for _, r := range []ratio{few, many} {
		if r.low > r.median || r.high < r.median || r.low < 1 || r.high > 1.9 {
			t.Errorf("%v is no range around the median", r)
		}
	}
	if many.high-many.low >= few.high-few.low {
		t.Errorf("the range of 2,000 turns is %v, and of 20 it is %v", many, few)
	}
	if again := summary(noisy(20)); again != few {
		t.Errorf("%v became %v", few, again)
	}
}

func TestGeometric(t *testing.T) {
	got := geometric([]ratio{{0.1, 0.05, 0.2}, {0.4, 0.2, 0.8}})
	about := cmpopts.EquateApprox(0, 1e-12)
	if diff := cmp.Diff(ratio{0.2, 0.1, 0.4}, got, about, cmp.AllowUnexported(ratio{})); diff != "" {
		t.Errorf("geometric (-want +got):\n%s", diff)
	}
	if one := geometric([]ratio{{0.3, 0.3, 0.3}}).median; math.Abs(one-0.3) > 1e-12 {
		t.Errorf("of one: %v", one)
	}
}
