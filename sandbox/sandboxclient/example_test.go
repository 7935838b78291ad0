package sandboxclient_test

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// A workflow makes a sandbox, uses it and leaves nothing behind, also when it is cancelled. The token is a variable of
// every command; the workflow knows its name alone.
func Example() {
	manifest := sandbox.Manifest{
		Entries: map[string]sandbox.Entry{"task.md": {Type: sandbox.EntryFile, Content: "Count the orders.\n"}},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
			"API_TOKEN": sandbox.EnvSecret(secrets.Env("REPORTS_TOKEN")),
		}},
	}
	client := sandboxclient.New("local", sandboxclient.Options{})

	env := environment(newHost())
	env.ExecuteWorkflow(func(ctx workflow.Context) (code int, err error) {
		box, err := client.Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &manifest}})
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, box.Close(ctx)) }()
		result, err := box.Exec(ctx, sandboxclient.Command{
			Args: []string{"grep -c ok orders.csv"}, Shell: []string{"sh", "-c"}, Timeout: time.Minute,
		})
		return result.ExitCode, err
	})

	var code int
	if err := env.GetWorkflowResult(&code); err != nil {
		fmt.Println(err)
	}
	fmt.Println("exit code", code)
	// Output: exit code 3
}

// Commands run side by side, and a selector waits for them together with everything else.
func ExampleSandbox_ExecAsync() {
	env := environment(newHost())
	env.ExecuteWorkflow(func(ctx workflow.Context) (string, error) {
		box, err := client.Create(ctx, empty)
		if err != nil {
			return "", err
		}
		test := box.ExecAsync(ctx, sandboxclient.Command{Args: []string{"make", "test"}})
		said := "too slow"
		workflow.NewSelector(ctx).
			AddFuture(test.Future(), func(workflow.Future) {
				var result sandboxclient.Result
				if result, err = test.Get(ctx); err == nil {
					said = fmt.Sprintf("exit code %d", result.ExitCode)
				}
			}).
			AddFuture(workflow.NewTimer(ctx, time.Hour), func(workflow.Future) {}).
			Select(ctx)
		return said, err
	})
	var said string
	if err := env.GetWorkflowResult(&said); err != nil {
		fmt.Println(err)
	}
	fmt.Println(said)
	// Output: exit code 3
}

// A command is never run twice by itself. Whether to run it again is for those to say who know what it does.
func ExampleErrMayHaveRun() {
	host := newHost()
	host.fails[operation.Exec] = []error{answer(operation.MayHaveRun)}
	env := environment(host)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		box, err := client.Create(ctx, empty)
		if err != nil {
			return err
		}
		_, err = box.Exec(ctx, sandboxclient.Command{Args: []string{"publish"}})
		if errors.Is(err, sandboxclient.ErrMayHaveRun) {
			fmt.Println("look at what is published first")
			return nil
		}
		return err
	})
	if err := env.GetWorkflowError(); err != nil {
		fmt.Println(err)
	}
	// Output: look at what is published first
}

// A file is changed by a patch, as agents write them.
func ExampleSandbox_ApplyPatch() {
	host := newHost()
	host.files["/workspace/hello.go"] = "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n"
	env := environment(host)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		box, err := client.Create(ctx, empty)
		if err != nil {
			return err
		}
		return box.ApplyPatch(ctx, `*** Begin Patch
*** Update File: hello.go
@@ func main() {
-	println("hello")
+	println("hello, world")
*** End Patch`)
	})
	if err := env.GetWorkflowError(); err != nil {
		fmt.Println(err)
	}
	fmt.Print(host.files["/workspace/hello.go"])
	// Output:
	// package main
	//
	// func main() {
	// 	println("hello, world")
	// }
}
