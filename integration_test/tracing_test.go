package integration_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestTracing runs a job with the SDK's OpenTelemetry interceptor beside the
// plugin: an enforcing policy passes its headers, its spans hold no value.
func TestTracing(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	spans := tracetest.NewSpanRecorder()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	t.Cleanup(func() { _ = provider.Shutdown(ctx) })
	tracing, err := opentelemetry.NewTracingInterceptor(opentelemetry.TracerOptions{Tracer: provider.Tracer("test")})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, "mode: enforce\nliterals: enforce\ngrants:\n  - {secret: deploy, to: {activity: PushTag, input: /0/token}, literal: replace}\n  - {secret: deploy, to: {activity: Announce, input: /0/token}, literal: replace}\n")
	r.client = server.Dial(t, client.Options{
		Logger: r.log, Interceptors: []interceptor.ClientInterceptor{tracing}, Plugins: []client.Plugin{plugin(t, r.options)},
	})
	seen := &legacy.Seen{}
	harness.Worker(t, r.client, r.queue, worker.Options{}, registerRelease(seen))
	if err := r.start(ctx, t, r.client, legacy.ReleaseType, legacy.Order[string]{Tag: "v1"}).Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if got := slices.Compact(seen.Tokens("PushTag")); !slices.Equal(got, []string{r.secret}) {
		t.Errorf("PushTag got %d tokens, want the secret only", len(got))
	}
	var names []string
	for _, s := range spans.Ended() {
		names = append(names, s.Name())
		secretstest.AssertAbsent(t, []string{r.secret}, []byte(fmt.Sprintf("%+v", tracetest.SpanStubFromReadOnlySpan(s))))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	want := []string{"RunActivity:PushTag", "RunWorkflow:" + legacy.ReleaseType, "StartActivity:PushTag", "StartWorkflow:" + legacy.ReleaseType}
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("no span %s (-want +got):\n%s", name, cmp.Diff(want, names))
		}
	}
	r.absent(ctx, t, r.secret)
}
