package interceptor_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// releases has activities as methods.
type releases struct{}

func (*releases) PushTag(context.Context) error { return nil }
func (*releases) SignTag(context.Context) error { return nil }

// PostTag is an activity.
func PostTag(context.Context) error { return nil }

// startsWith configures a worker of the SDK, has it register what register does, and
// starts it as far as the first poll.
func startsWith(t *testing.T, opts guard.Options, queue string, register func(worker.ActivityRegistry)) (logs *observer.ObservedLogs, err error) {
	t.Helper()
	core, logs := observer.New(zapcore.InfoLevel)
	opts.Logger = zap.New(core)
	plugin, err := guard.NewPlugin(opts)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewLazyClient(client.Options{Logger: discard{}, Plugins: []client.Plugin{plugin}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	var key string
	w := worker.New(c, queue, worker.Options{Plugins: []worker.Plugin{keyOf{to: &key}}})
	register(w)
	err = plugin.StartWorker(t.Context(), worker.PluginStartWorkerOptions{WorkerInstanceKey: key},
		func(context.Context, worker.PluginStartWorkerOptions) error { return nil })
	return logs, err
}

// keyOf is a plugin that tells the key of the worker.
type keyOf struct {
	worker.PluginBase
	to *string
}

func (keyOf) Name() string { return "key" }

func (k keyOf) ConfigureWorker(_ context.Context, o worker.PluginConfigureWorkerOptions) error {
	*k.to = o.WorkerInstanceKey
	return nil
}

// TestUnregisteredActivitiesAreLogged: a name that is spelled wrong grants nothing,
// and nobody would be told.
func TestUnregisteredActivitiesAreLogged(t *testing.T) {
	literal := func(context.Context) error { return nil }
	for name, tc := range map[string]struct {
		queue    string
		register func(worker.ActivityRegistry)
		want     string // activities that are named, and the level
	}{
		"struct":        {"deploys", func(r worker.ActivityRegistry) { r.RegisterActivity(&releases{}) }, "warn PostTag"},
		"struct, named": {"deploys", func(r worker.ActivityRegistry) { r.RegisterActivityWithOptions(&releases{}, named("x-")) }, "warn PostTag, PushTag, SignTag"},
		"function": {"deploys", func(r worker.ActivityRegistry) {
			r.RegisterActivity(&releases{})
			r.RegisterActivity(PostTag)
		}, ""},
		"method":      {"deploys", func(r worker.ActivityRegistry) { r.RegisterActivity((&releases{}).PushTag) }, "warn PostTag, SignTag"},
		"name":        {"deploys", func(r worker.ActivityRegistry) { r.RegisterActivityWithOptions(literal, named("SignTag")) }, "warn PostTag, PushTag"},
		"misspelt":    {"agents", func(r worker.ActivityRegistry) { r.RegisterActivityWithOptions(literal, named("StartJobs")) }, "warn StartJob"},
		"no activity": {"deploys", func(worker.ActivityRegistry) {}, ""},
		"every type": {"deploys", func(r worker.ActivityRegistry) {
			r.RegisterActivity(PostTag)
			r.RegisterDynamicActivity(func(context.Context, converter.EncodedValues) error { return nil }, activity.DynamicRegisterOptions{})
		}, ""},
		"the default":  {"elsewhere", func(r worker.ActivityRegistry) { r.RegisterActivity(PostTag) }, "info Backup"},
		"all is there": {"agents", func(r worker.ActivityRegistry) { r.RegisterActivityWithOptions(literal, named("StartJob")) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Policies = parsed(t, releasePolicy+"default: {mode: enforce, grants: [{secret: github-deploy, to: {activity: Backup}}]}\n")
			logs, err := startsWith(t, opts, tc.queue, tc.register)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, e := range logs.FilterMessageSnippet("did not register").All() {
				got += e.Level.String() + " " + e.ContextMap()["activities"].(string)
			}
			if got != tc.want {
				t.Errorf("logged %q, want %q", got, tc.want)
			}
		})
	}
}

const twoProviders = `version: 1
secrets:
  plain: {ref: "env:PLAIN_TOKEN", owner: o, reason: r, review_by: 2099-01-01}
  kept: {ref: "vault:kv/app#token", owner: o, reason: r, review_by: 2099-01-01}
queues:
  asks: {mode: enforce, grants: [{secret: plain, to: {activity: PostTag}}, {secret: kept, to: {activity: PushTag}}]}
  binds: {mode: enforce, grants: [{secret: kept, to: {activity: PushTag, input: /0/token}}]}
  env: {mode: enforce, grants: [{secret: kept, to: {env: APP_TOKEN}}]}
  redact: {mode: enforce, redact: ["vault:kv/slack#hook"]}
  plain: {mode: enforce, grants: [{secret: plain, to: {activity: PushTag}}]}
`

// TestWorkerWithoutAProviderDoesNotStart: every attempt would fail, with the same
// message each time.
func TestWorkerWithoutAProviderDoesNotStart(t *testing.T) {
	env := secretstest.Static(map[string]string{"env:PLAIN_TOKEN": canary})
	own := secretstest.Static(map[string]string{"vault:kv/app#token": canary})
	all := func(r worker.ActivityRegistry) { r.RegisterActivity(&releases{}) }
	post := func(r worker.ActivityRegistry) { r.RegisterActivity(PostTag) }
	none := func(worker.ActivityRegistry) {}
	for name, tc := range map[string]struct {
		queue    string
		resolver secrets.Resolver
		register func(worker.ActivityRegistry)
		want     string
	}{
		"asks":             {"asks", secrets.Providers{"env": env}, all, "without a provider: vault (kept)"},
		"binds":            {"binds", secrets.Providers{"env": env}, all, "without a provider: vault (kept)"},
		"variable":         {"env", secrets.Providers{"env": env}, all, "without a provider: vault (kept)"},
		"redact":           {"redact", secrets.Providers{"env": env}, all, "without a provider: vault (vault:kv/slack#hook)"},
		"nil provider":     {"binds", secrets.Providers{"env": env, "vault": nil}, all, "without a provider: vault (kept)"},
		"no resolver":      {"binds", nil, all, "without a provider: vault (kept)"},
		"no providers":     {"plain", secrets.Providers{}, all, "without a provider: env (plain)"},
		"has it":           {"binds", secrets.Providers{"vault": own}, all, ""},
		"needs none":       {"plain", secrets.Providers{"env": env}, all, ""},
		"other activities": {"asks", secrets.Providers{"env": env}, post, ""},
		"no activities":    {"env", secrets.Providers{"env": env}, none, ""},
		"of the user's":    {"binds", env, all, ""},
	} {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Policies, opts.Resolver = parsed(t, twoProviders), tc.resolver
			_, err := startsWith(t, opts, tc.queue, tc.register)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("not started: %v", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestNewLogsMissingProviders: an interceptor alone does not know what the worker
// runs, so that it says so and is made.
func TestNewLogsMissingProviders(t *testing.T) {
	core, logs := observer.New(zapcore.ErrorLevel)
	opts := options(t, "")
	opts.Policies, opts.TaskQueue, opts.Logger = parsed(t, twoProviders), "binds", zap.New(core)
	opts.Resolver = secrets.Providers{}
	newGuard(t, opts)
	all := logs.All()
	if len(all) != 1 || all[0].ContextMap()["secrets"] != "vault (kept)" {
		t.Errorf("logged %v, fields %v", all, slices.Sorted(maps.Keys(all[0].ContextMap())))
	}
}
