package interceptor_test

import (
	"context"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestNoAttemptRunsBeforeRedactIsRead: while the first attempt waits for the
// provider, a second one must not go ahead with nothing to hide.
func TestNoAttemptRunsBeforeRedactIsRead(t *testing.T) {
	asked, release := make(chan struct{}, 2), make(chan struct{})
	opts := options(t, redactOther)
	opts.Resolver = secrets.ResolverFunc(func(ctx context.Context, req secrets.Request) (secrets.Resolution, error) {
		asked <- struct{}{}
		<-release
		return secretstest.Static(values).Resolve(ctx, req)
	})
	g := newGuard(t, opts)
	results := make(chan string, 2)
	say := func() {
		v, err := attemptIn(attemptsOf(g), func(context.Context) (string, error) { return values["env:OTHER_TOKEN"], nil })
		text := "failed"
		if err == nil && v.Get(&text) != nil {
			text = "failed"
		}
		results <- text
	}
	go say()
	<-asked // the first attempt is waiting
	second := make(chan struct{})
	go func() { defer close(second); say() }()
	select {
	case <-asked: // the second asks for itself, or
	case <-second: // has ended: then its output was cleaned or it failed, or
	case <-time.After(100 * time.Millisecond): // it waits for the first
	}
	close(release)
	for range 2 {
		if text := <-results; text != "[redacted:env:OTHER_TOKEN]" && text != "failed" {
			t.Errorf("an attempt gave back %q", text)
		}
	}
	<-second
}
