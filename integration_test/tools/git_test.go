package tools

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

const sandboxID = "5b8f7c1e-2222-4333-8444-555555555555"

// git runs git as somebody with a configuration of their own would.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		t.Fatalf("git %s: %v: %s", args, err, errOut.String())
	}
	return strings.TrimSpace(out.String())
}

// remote is a bare repository with three commits: "first" is tagged v1, "second" is on main, "third" on the branch
// that has the same name as the tag v2 of the first.
type remote struct{ dir, first, second, third string }

func newRemote(t *testing.T) remote {
	t.Helper()
	work := t.TempDir()
	r := remote{dir: t.TempDir()}
	bare := filepath.Join(r.dir, "owner", "name.git")
	commit := func(content string) string {
		t.Helper()
		for name, data := range map[string]string{"README": content, "services/api/main.txt": "api " + content, "tool": "#!/bin/sh\necho " + content + "\n"} {
			file := filepath.Join(work, name)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(data), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		git(t, work, "add", ".")
		git(t, work, "commit", "--quiet", "-m", content)
		return git(t, work, "rev-parse", "HEAD")
	}
	git(t, work, "init", "--quiet")
	if err := os.Symlink("README", filepath.Join(work, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, ".gitattributes"), []byte("README filter=evil\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.first = commit("first")
	git(t, work, "tag", "-a", "-m", "one", "v1")
	git(t, work, "tag", "v2")
	r.second = commit("second")
	git(t, work, "checkout", "--quiet", "-b", "v2")
	r.third = commit("third")
	git(t, work, "checkout", "--quiet", "main")
	// A branch that looks like a commit is none.
	git(t, work, "branch", strings.Repeat("a", 40), r.third)
	git(t, work, "clone", "--quiet", "--bare", work, bare)
	return r
}

func (r remote) url(_, repo string) string {
	return (&url.URL{Scheme: "file", Path: filepath.Join(r.dir, repo) + ".git"}).String()
}

func newSandbox(t *testing.T, e sandbox.Entry, change func(*local.Options)) (backend.Sandbox, string) {
	t.Helper()
	o := local.Options{Dir: filepath.Join(t.TempDir(), "sandboxes"), Launcher: local.Unisolated, Grace: 100 * time.Millisecond}
	change(&o)
	b, err := local.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	s, err := b.Create(t.Context(), backend.Spec{ID: sandboxID, Manifest: sandbox.Manifest{Entries: map[string]sandbox.Entry{"repo": e}}})
	if err != nil {
		t.Fatal(err)
	}
	return s, filepath.Join(o.Dir, sandboxID)
}

func repoEntry(ref, subpath string) sandbox.Entry {
	return sandbox.Entry{Type: sandbox.EntryGitRepo, Repo: "owner/name", Ref: ref, Subpath: subpath}
}

// TestGitRepo checks what of a repository comes into the workspace, at every kind of ref.
func TestGitRepo(t *testing.T) {
	r := newRemote(t)
	// What git reads from the environment and the home of the worker must not matter.
	home := t.TempDir()
	config := "[url \"file:///nowhere\"]\n\tinsteadOf = file://\n[filter \"evil\"]\n\tsmudge = echo evil\n\trequired = true\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "protocol.file.allow")
	t.Setenv("GIT_CONFIG_VALUE_0", "never")
	for _, c := range []struct{ name, ref, subpath, file, want string }{
		{"branch", "main", "", "repo/README", "second"},
		{"tag", "v1", "", "repo/README", "first"},
		{"branch before the tag of its name", "v2", "", "repo/README", "third"},
		{"tag by its whole name", "refs/tags/v2", "", "repo/README", "first"},
		{"commit", r.first, "", "repo/README", "first"},
		{"commit in capitals", strings.ToUpper(r.first), "", "repo/README", "first"},
		{"part", "main", "services/api", "repo/main.txt", "api second"},
		{"part of a commit", r.third, "services/", "repo/api/main.txt", "api third"},
		{"all as a part", "main", " . ", "repo/README", "second"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := newSandbox(t, repoEntry(c.ref, c.subpath), func(o *local.Options) { o.GitURL = r.url })
			if err := s.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if data, err := s.Read(t.Context(), c.file); err != nil || string(data) != c.want {
				t.Errorf("%s = %q, %v, want %q", c.file, data, err, c.want)
			}
			_, err := s.Read(t.Context(), "repo/.git/HEAD")
			if part := c.subpath != "" && strings.TrimSpace(c.subpath) != "."; part != (backend.CodeOf(err) == backend.ReadNotFound) {
				t.Errorf(".git: %v", err)
			}
			if out, err := exec.CommandContext(t.Context(), "grep", "-rl", r.dir, filepath.Join(dir, "workspace")).Output(); err == nil {
				t.Errorf("these tell where the repository was fetched from: %s", out)
			}
			if _, err := os.Lstat(filepath.Join(dir, "git")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("what was fetched is still beside the workspace: %v", err)
			}
		})
	}
	s, _ := newSandbox(t, repoEntry("main", ""), func(o *local.Options) { o.GitURL = r.url })
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	result, err := s.Exec(t.Context(), backend.Command{
		Args: []string{"sh", "-c", "./tool; readlink link; ls .git/hooks 2>/dev/null; git status --porcelain; git rev-parse HEAD"}, Dir: "repo", Stdout: &out,
		Env: []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"},
	})
	if want := "second\nREADME\n" + r.second + "\n"; err != nil || result.ExitCode != 0 || out.String() != want {
		t.Errorf("in the repository: %q, exit code %d, %v, want %q", out.String(), result.ExitCode, err, want)
	}
}

// TestGitRefused checks the errors of repositories: codes, and no word of git's or of the host's.
func TestGitRefused(t *testing.T) {
	r := newRemote(t)
	missing := repoEntry("main", "")
	missing.Repo = "owner/missing"
	from := func(u string) func(string, string) string { return func(string, string) string { return u } }
	for _, c := range []struct {
		name string
		e    sandbox.Entry
		url  func(host, repo string) string
		code backend.Code
	}{
		{"no such repository", missing, r.url, backend.GitClone},
		{"no such branch", repoEntry("missing", ""), r.url, backend.GitClone},
		{"no such commit", repoEntry(strings.Repeat("b", 40), ""), r.url, backend.GitClone},
		{"a branch named like a commit", repoEntry(strings.Repeat("a", 40), ""), r.url, backend.GitClone},
		{"no such part", repoEntry("main", "missing"), r.url, backend.GitSubpath},
		{"a file as a part", repoEntry("main", "README"), r.url, backend.GitSubpath},
		{"git's own part", repoEntry("main", ".git"), r.url, backend.GitSubpath},
		{"other protocol", repoEntry("main", ""), from("ext::sh -c touch% /tmp/x"), backend.ConfigInvalid},
		{"ssh", repoEntry("main", ""), from("ssh://host/x"), backend.ConfigInvalid},
		{"path", repoEntry("main", ""), from(r.dir + "/owner/name.git"), backend.ConfigInvalid},
		{"user-info", repoEntry("main", ""), from("https://user:hunter2@localhost/x"), backend.ConfigInvalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := newSandbox(t, c.e, func(o *local.Options) { o.GitURL = c.url })
			err := s.Start(t.Context())
			if backend.CodeOf(err) != c.code {
				t.Errorf("start: %v with the code %q, want %q", err, backend.CodeOf(err), c.code)
			}
			for _, not := range []string{r.dir, "fatal", "hunter2", "remote"} {
				if err != nil && strings.Contains(err.Error(), not) {
					t.Errorf("the error says %q: %v", not, err)
				}
			}
			if running, err := s.Running(t.Context()); err != nil || running {
				t.Errorf("running = %v, %v", running, err)
			}
		})
	}
}

// TestGitEnded checks that git is ended by its time, by the caller and by Stop. It is a program that never ends here.
func TestGitEnded(t *testing.T) {
	dir := t.TempDir()
	slow, up := filepath.Join(dir, "slow-git"), filepath.Join(dir, "up")
	if err := exec.CommandContext(t.Context(), "mkfifo", up).Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(slow, []byte("#!/bin/sh\necho up > "+up+"\nexec sleep 1000\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Run("time", func(t *testing.T) {
		hangs := filepath.Join(dir, "hangs")
		if err := os.WriteFile(hangs, []byte("#!/bin/sh\nexec sleep 1000\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		s, _ := newSandbox(t, repoEntry("main", ""), func(o *local.Options) { o.Git, o.GitTimeout = hangs, 50*time.Millisecond })
		if err := s.Start(t.Context()); backend.CodeOf(err) != backend.GitClone {
			t.Errorf("start: %v", err)
		}
	})
	for name, end := range map[string]func(s backend.Sandbox, cancel func()) error{
		"cancellation": func(_ backend.Sandbox, cancel func()) error { cancel(); return nil },
		"stop":         func(s backend.Sandbox, _ func()) error { return s.Stop(context.Background()) },
		"delete":       func(s backend.Sandbox, _ func()) error { return s.Delete(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newSandbox(t, repoEntry("main", ""), func(o *local.Options) { o.Git = slow })
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- s.Start(ctx) }()
			if _, err := os.ReadFile(up); err != nil { // waits until git runs
				t.Fatal(err)
			}
			if err := end(s, cancel); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err == nil {
				t.Error("start succeeded")
			}
		})
	}
}
