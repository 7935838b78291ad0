package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func ExampleNew() {
	temp, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(temp) }()
	b, err := local.New(local.Options{Dir: filepath.Join(temp, "sandboxes"), Launcher: local.Unisolated})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = b.Close() }()
	fmt.Println(b.Kind(), b.Isolation())

	ctx := context.Background()
	box, err := b.Create(ctx, backend.Spec{
		ID: "5b8f7c1e-2222-4333-8444-555555555555",
		Manifest: sandbox.Manifest{Entries: map[string]sandbox.Entry{
			"input/task.md": {Type: sandbox.EntryFile, Content: "the task\n"},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := box.Start(ctx); err != nil {
		fmt.Println(err)
		return
	}
	result, err := box.Exec(ctx, backend.Command{Args: []string{"cat", "/workspace/input/task.md"}, Stdout: os.Stdout})
	fmt.Println(result.ExitCode, err)
	fmt.Println(box.Delete(ctx))
	// Output:
	// unix_local unisolated
	// the task
	// 0 <nil>
	// <nil>
}

func ExampleNew_notAllowed() {
	_, err := local.New(local.Options{
		Dir: "/var/lib/agents/sandboxes", Launcher: local.Unisolated,
		Launchers: []string{"native", "bwrap"}, // what validation.Policy.Backends returns
	})
	fmt.Println(err)
	// Output:
	// local: the policy does not allow unisolated: it must say so in sandbox.backends of the queue
}
