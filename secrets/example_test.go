package secrets_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// PushTagInput is what a workflow gives to an activity.
type PushTagInput struct {
	Repository string        `json:"repository"`
	Token      secrets.Value `json:"token,omitzero"`
}

// A workflow names the secret; the name is all that is recorded.
func Example() {
	in := PushTagInput{Repository: "example/app", Token: secrets.Env("DEPLOY_TOKEN")}

	recorded, err := json.Marshal(in)
	fmt.Println(string(recorded), err)
	fmt.Printf("%+v\n", in)
	// Output:
	// {"repository":"example/app","token":{"name":"DEPLOY_TOKEN","type":"temporal.worker_env_value"}} <nil>
	// {Repository:example/app Token:secrets.Value(env:DEPLOY_TOKEN)}
}

// A run that began when the field was a string has a literal in its history. It
// can still be decoded, and the literal is gone.
func ExampleValue_UnmarshalJSON() {
	recorded := []byte(`{"repository":"example/app","token":"hunter2"}`)

	var in PushTagInput
	err := json.Unmarshal(recorded, &in)
	fmt.Println(in.Token, err)

	_, err = in.Token.Reveal()
	fmt.Println(err)
	// Output:
	// secrets.Value(dropped literal) <nil>
	// secrets: literal instead of a reference: pass a reference such as secrets.Env("NAME")
}

// An activity reads the secret that the guard put into its input.
func ExampleValue_Reveal() {
	pushTag := func(_ context.Context, in PushTagInput) error {
		token, err := in.Token.Reveal()
		if err != nil {
			return err
		}
		_ = token // goes to the server, and nowhere else
		return nil
	}

	// Without the guard the activity has the name only.
	err := pushTag(context.Background(), PushTagInput{Token: secrets.Env("DEPLOY_TOKEN")})
	fmt.Println(errors.Is(err, secrets.ErrUnresolved), secrets.Retryable(err))
	// Output: true false
}

func ExampleParseRef() {
	ref, err := secrets.ParseRef("vault:kv/data-platform/reports#token@4")
	fmt.Println(ref.Provider, ref.Name, ref.Field, ref.Version, err)

	// A secret that was pasted where its name belongs is not repeated.
	_, err = secrets.ParseRef("env:correct horse battery staple")
	fmt.Println(err)
	// Output:
	// vault kv/data-platform/reports token 4 <nil>
	// secrets: env:[masked]: invalid: it looks like a value pasted where its name belongs: store the value with the provider and write the name
}

// A policy may hold references that are filled in for each task queue.
func ExampleRef_Template() {
	ref, err := secrets.ParseRef("vault:kv/{namespace}/{task_queue}#token")
	fmt.Println(ref.Template(), err)
	fmt.Println(ref.Validate())
	// Output:
	// true <nil>
	// secrets: vault:kv/{namespace}/{task_queue}#token: invalid: a placeholder in braces was not filled in
}

// The worker reads three variables of its environment, and every file of a
// directory that holds nothing but its secrets.
func ExampleProviders() {
	env, err := secrets.NewEnvProvider(secrets.Names{"DEPLOY_TOKEN", "REPORTS_API_TOKEN", "WAREHOUSE_DSN"})
	if err != nil {
		fmt.Println(err)
		return
	}
	files, err := secrets.NewFileProvider(".", secrets.FileOptions{Allow: secrets.AllowAll{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = files.Close() }()
	resolver := secrets.Providers{"env": env, "file": files}

	// Only the guard can make a request that they answer.
	_, err = resolver.Resolve(context.Background(), secrets.Request{Ref: secrets.EnvRef("DEPLOY_TOKEN")})
	fmt.Println(err)
	_, err = resolver.Resolve(context.Background(), secrets.Request{Ref: secrets.Ref{Provider: "vault", Name: "kv/app"}})
	fmt.Println(err)
	// Output:
	// secrets: env:DEPLOY_TOKEN: request not made by the guard: values are resolved by the guard, for activity inputs and for secrets.Get
	// secrets: vault:kv/app: denied: this worker has no provider vault: set one up in Options.Resolver
}

// A program's own resolver asks its secret store. An error that is none of this
// package counts as an outage, and its text, which may say too much, is dropped.
func ExampleResolverFunc() {
	store := secrets.ResolverFunc(func(_ context.Context, req secrets.Request) (secrets.Resolution, error) {
		if req.Ref.Name == "app" {
			return secrets.Resolution{}, errors.New("GET https://worker:hunter2@10.0.0.7/app: connection refused")
		}
		return secrets.Resolution{}, secrets.ErrNotFound
	})
	resolver := secrets.Providers{"store": store}

	for _, name := range []string{"app", "other"} {
		_, err := resolver.Resolve(context.Background(), secrets.Request{Ref: secrets.Ref{Provider: "store", Name: name}})
		fmt.Println(err, secrets.Retryable(err))
	}
	// Output:
	// secrets: store:app: provider unavailable: may be tried again true
	// secrets: store:other: not found: set it where the worker runs false
}

func ExampleGet() {
	notify := func(ctx context.Context) error {
		webhook, err := secrets.Get(ctx, secrets.EnvRef("SLACK_WEBHOOK"))
		if err != nil {
			return err
		}
		url, err := webhook.Reveal()
		if err != nil {
			return err
		}
		_ = url
		return nil
	}

	fmt.Println(notify(context.Background()))
	// Output: secrets: env:SLACK_WEBHOOK: no activity scope: call secrets.Get in an activity, with the activity's context, on a worker with the guard
}
