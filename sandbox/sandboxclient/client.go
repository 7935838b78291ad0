package sandboxclient

import (
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// Client makes sandboxes of one provider for workflow code. It holds its options and nothing else: one Client may
// serve any number of workflows, and be made inside a workflow or outside of it.
type Client struct {
	provider string
	options  Options
	err      error
}

// New returns a client of the provider with that name, which is the one that the hosts were made with. What is wrong
// with the name or the options is the error of each method.
func New(provider string, o Options) *Client {
	c := &Client{provider: provider, options: o.withDefaults(), err: o.check()}
	if provider == "" {
		c.err = errors.Join(errors.New("sandboxclient: the provider has no name: pass the one that its host was made with"), c.err)
	}
	return c
}

// Create makes the sandbox that the run config asks for, starts it, and returns it ready for commands. A run config
// that has a session state is resumed, as by [Client.Resume]; it must have no manifest, options or snapshot then.
//
// If starting fails, or ctx is cancelled meanwhile, what was made is stopped and deleted before Create returns the
// error. From then on ending the sandbox is the caller's business:
//
//	box, err := client.Create(ctx, config)
//	if err != nil {
//		return err
//	}
//	defer box.Close(ctx)
func (c *Client) Create(ctx workflow.Context, config sandbox.RunConfig) (*Sandbox, error) {
	args, err := c.createArgs(config)
	if err != nil {
		return nil, err
	}
	if state := config.Sandbox.SessionState; state != nil {
		return c.Resume(ctx, State{Session: *state, Cwd: config.Sandbox.Cwd})
	}
	var result operation.SessionResult
	// What a cancelled create has made would be left alone: its end is waited for, and the answer says what to
	// delete.
	if err := c.run(ctx, operation.Create, activity{queue: c.options.Queue, wait: true}, args, &result); err != nil {
		return nil, failure(operation.Create, err)
	}
	if result.State.SessionID == "" {
		return nil, errors.New("sandboxclient: create: the host answered with a state that has no session id: see that it speaks this format")
	}
	box, err := c.Attach(ctx, State{Session: result.State, HostQueue: result.HostQueue, Cwd: config.Sandbox.Cwd})
	if err != nil {
		return nil, err
	}
	if err := box.Start(ctx); err != nil {
		// The error of starting is the one to act on.
		_ = box.Close(ctx)
		return nil, err
	}
	return box, nil
}

// Resume takes up the sandbox that a state tells of and starts it: in the run that continues the one that made it, or
// after its host was lost. The host judges it as it judges a new one. If it fails, the sandbox is left as it is; see
// [Client.Attach] for ending one that cannot be resumed.
func (c *Client) Resume(ctx workflow.Context, state State) (*Sandbox, error) {
	box, err := c.Attach(ctx, state)
	if err != nil {
		return nil, err
	}
	if err := resumable(state.Session); err != nil {
		return nil, err
	}
	if err := box.resume(ctx); err != nil {
		return nil, err
	}
	if err := box.Start(ctx); err != nil {
		return nil, err
	}
	return box, nil
}

// Attach returns the sandbox that a state tells of, without asking its host. It is for ending a sandbox that cannot
// be resumed, because it asks for what is not granted any longer.
func (c *Client) Attach(ctx workflow.Context, state State) (*Sandbox, error) {
	if c.err != nil {
		return nil, c.err
	}
	if state.Session.SessionID == "" {
		return nil, errors.New("sandboxclient: the state has no session id: pass what State returned")
	}
	return &Sandbox{client: c, state: state, live: true, resuming: workflow.NewMutex(ctx)}, nil
}

// createArgs are the arguments that a run config is created with. What it cannot be created with, or resumed, is an
// error.
func (c *Client) createArgs(config sandbox.RunConfig) (operation.CreateArgs, error) {
	var none operation.CreateArgs
	if c.err != nil {
		return none, c.err
	}
	config, err := sandbox.NormalizeRunConfig(config)
	if err != nil {
		return none, err
	}
	asked := config.Sandbox
	switch {
	case asked == nil:
		return none, errors.New("sandboxclient: the run config asks for no sandbox: set its Sandbox, an empty one for the defaults")
	case asked.Client != "" && asked.Client != c.provider:
		return none, errors.New("sandboxclient: the run config asks for another provider: leave its Client empty, or make a client for that one")
	case asked.ConcurrencyLimits != nil || asked.ArchiveLimits != nil:
		return none, errors.New("sandboxclient: the run config has limits, which no host would be told: leave them out, and set them where the host is made")
	}
	if asked.SessionState != nil && (asked.Manifest != nil || asked.Options != nil || asked.Snapshot != nil) {
		return none, errors.New("sandboxclient: the run config has a session state, which is resumed as it is, and also a manifest, options or a snapshot, which no host would be told: leave those out, or the session state")
	}
	if asked.Manifest != nil {
		if err := unbound(*asked.Manifest); err != nil {
			return none, err
		}
	}
	return operation.CreateArgs{SnapshotSpec: asked.Snapshot, Manifest: asked.Manifest, ClientOptions: asked.Options}, nil
}

// resumable reports what keeps a state from being sent to a host.
func resumable(s sandbox.SessionState) error {
	if len(s.UnboundGrants) > 0 {
		return errors.New("sandboxclient: the state has lost the host paths of its grants: create a sandbox instead of resuming this one")
	}
	return unbound(s.Manifest)
}

// unbound refuses grants with a path of the host, as the Python plugin does: the workflow would choose what the host
// shares. The paths inside the sandbox are what can be told of them.
func unbound(m sandbox.Manifest) error {
	var bound []string
	for _, g := range m.ExtraPathGrants {
		if g.HostPath != nil {
			bound = append(bound, g.Path)
		}
	}
	if len(bound) == 0 {
		return nil
	}
	return fmt.Errorf("sandboxclient: nothing was scheduled: these path grants are bound to paths of a host: %s\n  fix: leave their host paths out", strings.Join(bound, ", "))
}
