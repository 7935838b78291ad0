package sessions

import (
	"errors"
	"time"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// Type is the name of the first workflow.
const Type = "Session"

// Plan is the argument of the workflow.
type Plan struct {
	// Secret is whether the sandbox asks for a secret. It is made without one
	// if that is refused.
	Secret bool
	// Handed is the sandbox of the run before. Nil begins with a new one.
	Handed *sandboxclient.State
	Report Report
}

// Report is the result of the workflow: what was answered, in order, without
// ids and names.
type Report struct {
	Refused bool
	// Answers are outputs, contents and codes of errors.
	Answers []string
	// Token is what the second run sees of the secret.
	Token string
}

// Register registers the workflows.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(session, workflow.RegisterOptions{Name: Type})
	r.RegisterWorkflowWithOptions(tools, workflow.RegisterOptions{Name: ToolsType})
}

func boxes() *sandboxclient.Client {
	return sandboxclient.New("memory", sandboxclient.Options{ExecTimeout: time.Minute})
}

func config(secret bool) sandbox.RunConfig {
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{"notes.txt": {Type: "file", Content: "one\ntwo\nthree\n"}}}
	if secret {
		m.Environment.Values = map[string]sandbox.EnvValue{"API_TOKEN": sandbox.EnvSecret(secrets.Env("DEPLOY_TOKEN"))}
	}
	return sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &m}}
}

func session(ctx workflow.Context, p Plan) (Report, error) {
	if p.Handed != nil {
		return ends(ctx, p)
	}
	box, err := boxes().Create(ctx, config(p.Secret))
	if p.Report.Refused = guard.IsRefused(err); p.Report.Refused {
		box, err = boxes().Create(ctx, config(false))
	}
	if err != nil {
		return p.Report, err
	}
	if err := works(ctx, box, &p.Report); err != nil {
		return p.Report, errors.Join(err, box.Close(ctx))
	}
	state := box.State()
	return p.Report, workflow.NewContinueAsNewError(ctx, Type, Plan{Secret: p.Secret, Handed: &state, Report: p.Report})
}

// works uses a sandbox.
func works(ctx workflow.Context, box *sandboxclient.Sandbox, r *Report) error {
	answer := func(text []byte, err error) error {
		switch {
		case sandboxclient.CodeOf(err) != "":
			r.Answers = append(r.Answers, string(sandboxclient.CodeOf(err)))
		case err != nil:
			return err
		default:
			r.Answers = append(r.Answers, string(text))
		}
		return nil
	}
	run := func(args ...string) error {
		result, err := box.Exec(ctx, sandboxclient.Command{Args: args})
		return answer(result.Stdout, err)
	}
	futures := []sandboxclient.ExecFuture{
		box.ExecAsync(ctx, sandboxclient.Command{Args: []string{"echo", "first"}}),
		box.ExecAsync(ctx, sandboxclient.Command{Args: []string{"echo", "second"}}),
	}
	var err error
	for _, f := range futures {
		result, failed := f.Get(ctx)
		err = errors.Join(err, answer(result.Stdout, failed))
	}
	err = errors.Join(err,
		run("no-such-program"),
		box.Write(ctx, "sub/data.txt", []byte("written")),
		answer(box.Read(ctx, "sub/data.txt")),
		answer(box.Read(ctx, "nothing.txt")),
		box.ApplyPatch(ctx, "*** Begin Patch\n*** Update File: notes.txt\n@@\n one\n-two\n+2\n three\n*** End Patch\n"),
		run("cat", "notes.txt"),
	)
	archive, failed := box.Persist(ctx)
	err = errors.Join(err, failed, box.Hydrate(ctx, archive), box.Stop(ctx))
	running, failed := box.Running(ctx)
	if running {
		r.Answers = append(r.Answers, "it runs after it was stopped")
	}
	return errors.Join(err, failed, box.Start(ctx), run("cat", "sub/data.txt"))
}

// ends goes on with the sandbox of the run before: a command is cancelled, the
// sandbox closed.
func ends(ctx workflow.Context, p Plan) (Report, error) {
	box, err := boxes().Resume(ctx, *p.Handed)
	if err != nil {
		return p.Report, err
	}
	result, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"sh", "-c", "printenv API_TOKEN"}})
	if err != nil {
		return p.Report, errors.Join(err, box.Close(ctx))
	}
	if result.ExitCode == 0 {
		p.Report.Token = string(result.Stdout)
	}
	inner, cancel := workflow.WithCancel(ctx)
	endless := box.ExecAsync(inner, sandboxclient.Command{Args: []string{"wait"}})
	if err := workflow.Sleep(ctx, 10*time.Millisecond); err != nil {
		return p.Report, err
	}
	cancel()
	if _, err := endless.Get(ctx); errors.Is(err, sandboxclient.ErrMayHaveRun) {
		p.Report.Answers = append(p.Report.Answers, "cancelled")
	}
	return p.Report, box.Close(ctx)
}
