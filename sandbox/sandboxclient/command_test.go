package sandboxclient_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestCommand: what is sent for a command that needs no preparation.
func TestCommand(t *testing.T) {
	for _, c := range []struct {
		name    string
		command sandboxclient.Command
		want    operation.ExecArgs
	}{
		{"program", sandboxclient.Command{Args: []string{"a b", "c"}, User: "agent"}, operation.ExecArgs{
			Command: []string{"a b", "c"}, Shell: operation.Shell{Off: true}, User: "agent",
		}},
		{"script", sandboxclient.Command{Args: []string{"ls | head"}, Shell: []string{"sh", "-c"}, Timeout: 1500 * time.Millisecond}, operation.ExecArgs{
			Command: []string{"ls | head"}, Shell: operation.Shell{Prefix: []string{"sh", "-c"}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				_, err := box.Exec(ctx, c.command)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			got := argsOf[operation.ExecArgs](h)[0]
			if diff := cmp.Diff(c.want.Command, got.Command); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.want.Shell, got.Shell); diff != "" || got.User != c.want.User {
				t.Error(diff, got.User)
			}
			if c.command.Timeout > 0 && *got.Timeout != c.command.Timeout.Seconds() {
				t.Errorf("timeout %v", *got.Timeout)
			}
		})
	}
}

// TestCommandRefused: commands that cannot be carried out as they are schedule nothing, and errors quote nothing.
func TestCommandRefused(t *testing.T) {
	const hidden = "hunter2-and-more"
	env := func(name string, v sandbox.EnvValue) sandboxclient.Command {
		return sandboxclient.Command{Args: []string{"x"}, Env: map[string]sandbox.EnvValue{name: v}}
	}
	for _, c := range []struct {
		name    string
		command sandboxclient.Command
		want    string
	}{
		{"empty", sandboxclient.Command{}, "command is empty"},
		{"negative timeout", sandboxclient.Command{Args: []string{"x"}, Timeout: -1}, "set it to 0, for the default, or to at most 1000000h"},
		{"timeout that overflows", sandboxclient.Command{Args: []string{"x"}, Timeout: math.MaxInt64}, "set it to 0, for the default, or to at most 1000000h"},
		{"NUL", sandboxclient.Command{Args: []string{hidden + "\x00"}}, "holds a NUL"},
		{"secret", env("TOKEN", sandbox.EnvSecret(secrets.Env("X"))), "environment of the manifest"},
		{"NUL in a variable", env("A", sandbox.EnvLiteral(hidden+"\x00")), "variable A holds a NUL"},
		{"variable's name", env(hidden, sandbox.EnvLiteral("x")), "name of a variable"},
		{"digit first", env("1A", sandbox.EnvLiteral("x")), "name of a variable"},
		{"outside", sandboxclient.Command{Args: []string{"x"}, Dir: "a/../../" + hidden}, "out of the workspace"},
		{"beside", sandboxclient.Command{Args: []string{"x"}, Dir: "/workspace2/" + hidden}, "out of the workspace"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				_, err := box.Exec(ctx, c.command)
				if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), hidden) {
					t.Errorf("error = %v, want %q", err, c.want)
				}
				if strings.Contains(c.want, "workspace") && sandboxclient.CodeOf(err) != backend.InvalidManifestPath {
					t.Errorf("code = %s", sandboxclient.CodeOf(err))
				}
				if _, err := box.ExecAsync(ctx, c.command).Get(ctx); err == nil {
					t.Error("began")
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if len(h.seen()) != 0 {
				t.Errorf("called %v", h.seen())
			}
		})
	}
}
