package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/program"
)

// unisolated starts commands as processes that nothing is kept from.
type unisolated struct{}

// process is what runs on the host. All paths are the host's.
type process struct {
	program        string   // its path, absolute or relative to dir
	argv           []string // its name and its arguments, which it may print
	env            []string
	dir            string
	records        string // where it is noted while it runs
	stdin          io.Reader
	stdout, stderr io.Writer
	terminal       func(master *os.File) // as that of a command
	grace          time.Duration
}

// notStarted is the error for a process of which nothing ran.
type notStarted struct{ again bool }

func (notStarted) Error() string { return "local: the process could not be started" }

func newUnisolated(o Options) (launcher, error) {
	others := o.Limits
	others.Wall, others.Output, others.Disk = 0, 0, 0
	if others != (sandbox.Limits{}) {
		var names []string
		for limit := range strings.SplitSeq(others.String(), ", ") {
			name, _, _ := strings.Cut(limit, ":")
			names = append(names, name)
		}
		return nil, fmt.Errorf("local: unisolated can hold no limits but wall, output and disk, and not those of %s that are asked for: leave them out, or take a launcher that isolates", strings.Join(names, ", "))
	}
	return unisolated{}, nil
}

func (unisolated) run(ctx context.Context, c command) (backend.Result, error) {
	p, err := c.onHost()
	if err != nil {
		return backend.Result{}, err
	}
	exit, err := p.run(ctx)
	if not := (notStarted{}); errors.As(err, &not) {
		err = errNotStarted(c.args[0], not.again)
	}
	return backend.Result{ExitCode: exit}, err
}

func (unisolated) untold() []backend.Limit { return nil }

func (unisolated) close() error { return nil }

func (unisolated) capabilities() []Capability {
	return []Capability{{Name: "isolation", Reason: "unisolated keeps nothing apart: take native or bwrap, on Linux"}}
}

// onHost puts a command into the words of the host. The error says that nothing ran.
func (c command) onHost() (process, error) {
	s := c.box
	h, err := c.inHostWords()
	if err != nil {
		return process{}, err
	}
	env := s.environment(c.env, h.dir)
	found, err := program.Look(h.argv[0], h.dir, env)
	if err != nil {
		return process{}, errNotFound(c.args[0])
	}
	return process{
		program: found, argv: h.argv, env: env, dir: h.dir, records: s.dir(recordsName), grace: s.backend.options.Grace,
		stdin: c.stdin, stdout: c.stdout, stderr: c.stderr, terminal: c.terminal,
	}, nil
}

// hostWords are the directory and the arguments of a command as the host knows them.
type hostWords struct {
	dir  string
	argv []string
}

func (c command) inHostWords() (hostWords, error) {
	s, dir := c.box, c.dir
	if !filepath.IsAbs(dir) {
		dir = s.dir(filepath.Join(workspaceName, filepath.FromSlash(dir)))
	}
	up, err := s.up(dir)
	if err != nil {
		return hostWords{}, err
	}
	h := hostWords{dir: dir, argv: make([]string, len(c.args))}
	for i, arg := range c.args {
		h.argv[i] = s.shown(arg, up)
	}
	return h, nil
}

// up leads from a directory below the workspace to the workspace. Links on the way are followed, as the system does.
func (s *box) up(dir string) (string, error) {
	root, err := filepath.EvalSymlinks(s.dir(workspaceName))
	if err != nil {
		return "", errRoot
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return "", notRun("the directory of the command does not exist in the workspace")
	}
	up, err := filepath.Rel(dir, root)
	if err != nil {
		return "", notRun("the directory of the command must be inside the workspace")
	}
	return up, nil
}

// shown returns the form that a command gets of an argument at or below the workspace's root: relative to the
// directory that it starts in, since what it prints must not hold a path of the host.
func (s *box) shown(arg, up string) string {
	if arg != s.root && !strings.HasPrefix(arg, s.root+"/") {
		return arg
	}
	if _, ok := within(s.root, arg); !ok {
		return arg
	}
	return up + strings.TrimPrefix(arg, s.root)
}

// environment is that of a command. HOME and PWD are not up to the caller: by HOME a sandbox's processes are found.
func (s *box) environment(own []string, dir string) []string {
	env := append([]string{"PATH=" + s.backend.options.Path, "LANG=C.UTF-8"}, own...)
	return lastOnly(append(env, "HOME="+s.dir(workspaceName), "PWD="+dir))
}

// lastOnly keeps the last of the variables of a name.
func lastOnly(env []string) []string {
	at := map[string]int{}
	var out []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if i, ok := at[name]; ok {
			out[i] = v
			continue
		}
		at[name] = len(out)
		out = append(out, v)
	}
	return out
}
