package interceptor

import (
	"context"

	"go.temporal.io/sdk/activity"

	"github.com/sandboxguard/sandboxguard/internal/mint"
)

// Parts returns a function that does what the promised speed is of, and no more: it
// finds the granted places of judged arguments, resolves, injects, and searches a
// result. Looking the policy up and judging are left out. It is for the performance
// gate, one call after another: only this module can call it, anybody else gets nil.
func (i *activityInbound) Parts(k mint.Key, ctx context.Context) func(args []any, result any) ([]any, any, error) {
	if !k.Valid() {
		return nil
	}
	a := i.attempt(ctx, activity.GetInfo(ctx))
	return func(args []any, result any) ([]any, any, error) {
		p := a.places(args, true)
		if len(p.sites) > 0 {
			a.scribe = &scribe{sink: a.g.sink}
			defer a.scribe.close()
		}
		values, err := a.resolveAll(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		if args, err = a.inject(args, p, values); err != nil {
			return nil, nil, err
		}
		result, _, err = cleaner{hidden: a.g.hidden, as: a.holder}.value(result)
		return args, result, err
	}
}
