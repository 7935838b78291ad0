package local

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// errTimeout is the cause of the end of a command's time.
var errTimeout error = backend.TimedOut()

// notRun is a refusal before anything ran.
func notRun(message string) error { return refuse(backend.ExecTransport, message) }

// Exec runs a command. If a writer fails its error is wrapped, so that the caller can tell it.
func (s *box) Exec(ctx context.Context, cmd backend.Command) (int, error) {
	ctx, done, err := s.beginJob(ctx, true)
	if err != nil {
		return 0, err
	}
	defer done()
	p, err := s.process(cmd)
	if err != nil {
		return 0, err
	}
	if cmd.Timeout != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, cmd.Timeout, errTimeout)
		defer cancel()
	}
	exit, err := s.backend.launcher.run(ctx, p)
	var not notStarted
	if errors.As(err, &not) {
		return 0, &backend.Error{Code: backend.ExecTransport, Retryable: not.again, Message: "local: " + named(cmd.Args[0]) +
			" could not be started: it must be an executable file, and its arguments and environment not too long"}
	}
	return exit, err
}

// process is what is started for a command. The error says that nothing ran.
func (s *box) process(cmd backend.Command) (process, error) {
	switch {
	case len(cmd.Args) == 0 || cmd.Args[0] == "":
		return process{}, notRun("the command must not be empty")
	case cmd.User != "":
		return process{}, notRun("commands run as the worker's account: leave the user out")
	case slices.ContainsFunc(slices.Concat(cmd.Args, cmd.Env), func(s string) bool { return strings.ContainsRune(s, 0) }):
		return process{}, notRun("arguments and variables must not hold NUL")
	case slices.ContainsFunc(cmd.Env, func(s string) bool { return strings.Index(s, "=") < 1 }):
		return process{}, notRun("variables must be NAME=value")
	}
	dir, err := s.startDir(cmd.Dir)
	if err != nil {
		return process{}, err
	}
	up, err := s.up(dir)
	if err != nil {
		return process{}, err
	}
	argv := make([]string, len(cmd.Args))
	for i, arg := range cmd.Args {
		argv[i] = s.shown(arg, up)
	}
	env := s.environment(cmd.Env, dir)
	program, err := look(argv[0], dir, env)
	if err != nil {
		return process{}, notRun(named(cmd.Args[0]) + " was not found: it must be an executable file of PATH, or a path")
	}
	return process{
		program: program, argv: argv, env: env, dir: dir, records: s.dir(recordsName), grace: s.backend.options.Grace,
		stdin: cmd.Stdin, stdout: orDiscard(cmd.Stdout), stderr: orDiscard(cmd.Stderr),
	}, nil
}

// startDir is the real path of the directory that a command starts in.
func (s *box) startDir(dir string) (string, error) {
	root, err := s.workspace()
	if err != nil {
		return "", err
	}
	defer root.Close()
	if dir == "" {
		dir = "."
	}
	rel, err := relative(s.root, dir)
	if err != nil {
		return "", notRun("the directory of the command must be inside the workspace")
	}
	info, err := root.Stat(rel)
	if err != nil || !info.IsDir() {
		return "", notRun("the directory of the command does not exist in the workspace")
	}
	return s.dir(filepath.Join(workspaceName, filepath.FromSlash(rel))), nil
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

// look returns the path of a program, absolute or relative to dir. A name without a slash has it in one of the
// absolute directories of the command's own PATH.
func look(program, dir string, env []string) (string, error) {
	if strings.Contains(program, "/") {
		if filepath.IsAbs(program) {
			return program, executable(program)
		}
		return program, executable(filepath.Join(dir, program))
	}
	for _, v := range env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, in := range filepath.SplitList(list) {
			p := filepath.Join(in, program)
			if filepath.IsAbs(p) && executable(p) == nil {
				return p, nil
			}
		}
	}
	return "", os.ErrNotExist
}

func executable(p string) error {
	info, err := os.Stat(p)
	if err == nil && (!info.Mode().IsRegular() || info.Mode()&0o111 == 0) {
		err = os.ErrPermission
	}
	return err
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// leftoverWait bounds the wait for the end of a killed process of another parent.
const leftoverWait = 5 * time.Second
