package samples

import (
	"context"
	"slices"

	"go.temporal.io/sdk/workflow"
)

type chunk struct {
	Index int               `json:"index"`
	Bytes []byte            `json:"bytes"`
	Meta  map[string]string `json:"meta"`
}

// checksum splits its work, has every part done at the same time, and merges
// the results in whatever order they come.
func checksum(ctx workflow.Context, parts int) ([]int, error) {
	ctx = quick(ctx)
	merged := make([]int, 0, parts)
	var failed error
	merge := workflow.NewSelector(ctx)
	for i := range parts {
		c := chunk{Index: i, Bytes: slices.Repeat([]byte{byte(i)}, 64), Meta: map[string]string{"etag": "5d41402abc4b2a76b9719d911017c592"}}
		merge.AddFuture(workflow.ExecuteActivity(ctx, sum, c), func(f workflow.Future) {
			var n int
			if err := f.Get(ctx, &n); err != nil {
				failed = err
			}
			merged = append(merged, n)
		})
	}
	for range parts {
		merge.Select(ctx)
	}
	slices.Sort(merged)
	return merged, failed
}

func sum(_ context.Context, c chunk) (int, error) {
	n := 0
	for _, b := range c.Bytes {
		n += int(b)
	}
	return n, nil
}

func fanOut() Sample {
	return Sample{
		Name:       "fan-out",
		Workflows:  workflows(checksum),
		Activities: activities(sum),
		Drive:      simple[[]int](checksum, 8),
		Want:       `[0,64,128,192,256,320,384,448]`,
	}
}
