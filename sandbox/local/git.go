package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/program"
)

const defaultGitHost = "github.com"

// commit is the form of a whole commit id. Such a ref is fetched as a commit and never as a branch of that name. Short
// ids are not asked for: no server resolves them.
var commit = regexp.MustCompile(`^([0-9A-Fa-f]{40}|[0-9A-Fa-f]{64})$`)

// git is the real path of the git program.
func (b *Backend) git() (string, error) {
	git, err := b.options.Git, error(nil)
	if git == "" {
		git, err = program.Look("git", "/", []string{"PATH=" + b.options.Path})
	} else {
		err = program.Executable(git)
	}
	if err != nil {
		return "", refuse(backend.GitMissing, "git was not found on this host: install it, or set Options.Git")
	}
	return git, nil
}

// putRepo fetches a repository and copies what is wanted of it. It is fetched outside the workspace, where no
// command finds it half done.
func (s *box) putRepo(ctx context.Context, root *workspace, st step) error {
	program, err := s.backend.git()
	if err != nil {
		return err
	}
	subpath, err := subpathOf(st.entry)
	if err != nil {
		return err
	}
	own, err := os.OpenRoot(s.dir(""))
	if err != nil {
		return errRoot
	}
	defer own.Close()
	scratch := s.dir(gitName)
	err = errors.Join(removeTree(ctx, own, gitName), os.Mkdir(scratch, 0o700), os.Mkdir(filepath.Join(scratch, "home"), 0o700))
	if err != nil {
		return err
	}
	defer func() { _ = removeTree(context.WithoutCancel(ctx), own, gitName) }()
	g := gitRun{box: s, program: program, home: filepath.Join(scratch, "home"), repo: filepath.Join(scratch, "repo")}
	ctx, cancel := context.WithTimeoutCause(ctx, s.backend.options.GitTimeout, errGitTimeout)
	defer cancel()
	if err := g.fetch(ctx, st); err != nil {
		return err
	}
	repo, err := os.OpenRoot(g.repo)
	if err != nil {
		return errGitCopy
	}
	defer repo.Close()
	part, err := repo.OpenRoot(filepath.FromSlash(subpath))
	if err != nil || strings.Split(subpath, "/")[0] == ".git" {
		return refuse(backend.GitSubpath, "the subpath of the entry "+show(st.path)+" is not a directory of the repository")
	}
	defer part.Close()
	return copyTree(ctx, part, root, st.path, true, func(error) error { return errGitCopy })
}

var (
	errGitTimeout = failed(backend.GitClone, "the repository could not be fetched within Options.GitTimeout")
	errGitCopy    = failed(backend.GitCopy, "the repository could not be copied into the workspace")
)

// gitRun runs git on one repository.
type gitRun struct {
	box                 *box
	program, home, repo string
}

// fetch makes the repository with what the entry names, and nothing else.
func (g gitRun) fetch(ctx context.Context, st step) error {
	e := st.entry
	host := e.Host
	if host == "" {
		host = defaultGitHost
	}
	from, err := url.Parse(g.box.backend.options.GitURL(host, e.Repo))
	if err != nil || from.User != nil || from.Scheme != "https" && from.Scheme != "file" {
		return refuse(backend.ConfigInvalid, "Options.GitURL must return an https or file URL without user-info")
	}
	failure := failed(backend.GitClone, "the repository of the entry "+show(st.path)+" could not be fetched at its ref")
	if err := g.run(ctx, from, nil, failure, "init", "--quiet", "--template=", g.repo); err != nil {
		return err
	}
	fetch := func(ref string) error {
		return g.run(ctx, from, nil, failure, "-C", g.repo, "fetch", "--quiet", "--depth=1", "--no-tags",
			"--no-recurse-submodules", "--", from.String(), ref)
	}
	ref, exact := e.Ref, commit.MatchString(e.Ref)
	if exact {
		ref = strings.ToLower(ref)
	}
	switch {
	case exact, strings.HasPrefix(ref, "refs/"):
		err = fetch(ref)
	default:
		if err = fetch("refs/heads/" + ref); err != nil && ctx.Err() == nil {
			err = fetch("refs/tags/" + ref)
		}
	}
	if err != nil {
		return err
	}
	if err := g.run(ctx, from, nil, failure, "-C", g.repo, "checkout", "--quiet", "--detach", "FETCH_HEAD"); err != nil {
		return err
	}
	if exact {
		var head bytes.Buffer
		if err := g.run(ctx, from, &head, failure, "-C", g.repo, "rev-parse", "HEAD"); err != nil {
			return err
		}
		if strings.TrimSpace(head.String()) != ref {
			return refuse(backend.GitClone, "the repository of the entry "+show(st.path)+" answered with another commit than its ref")
		}
	}
	// It names where the repository was fetched from, which may be a path of the host.
	if err := os.Remove(filepath.Join(g.repo, ".git", "FETCH_HEAD")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failure
	}
	return nil
}

// run runs git without configuration, hooks, credentials and prompts, and with no protocol but that of the URL.
func (g gitRun) run(ctx context.Context, from *url.URL, out io.Writer, failure error, args ...string) error {
	argv := []string{
		g.program, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.autocrlf=false",
		"-c", "core.logAllRefUpdates=false", "-c", "credential.helper=", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "transfer.fsckObjects=true",
	}
	// On the host, whatever the launcher: fetching needs the network.
	exit, err := process{
		program: argv[0], argv: append(argv, args...),
		env: []string{
			"PATH=" + g.box.backend.options.Path, "LANG=C.UTF-8", "HOME=" + g.home, "XDG_CONFIG_HOME=" + g.home,
			"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
			"GIT_ASKPASS=", "GIT_ALLOW_PROTOCOL=" + from.Scheme,
		},
		dir: g.home, records: g.box.dir(recordsName), stdout: orDiscard(out), stderr: io.Discard, grace: g.box.backend.options.Grace,
	}.run(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil || exit != 0:
		return failure
	}
	return nil
}
