package local

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// FuzzPaths reads the paths of operations and manifests, the names of sources and those of leftovers: what is taken
// stays where it belongs.
func FuzzPaths(f *testing.F) {
	for _, p := range []string{
		"", ".", "a/b", "/workspace/a", "/workspace", "/workspaces", "/workspace/../a", "a/../..", `a\..\..`, `C:\a`, "a\x00b", "//", "/granted/a", "/granted/../b",
		"src:a/b", "src:", "src:../a", "src:/a", ":", "5b8f7c1e-2222-4333-8444-555555555555", "5b8f7c1e-2222-4333-8444-55555555555g",
	} {
		f.Add(p)
	}
	o := Options{Launcher: Native, Roots: map[string]string{"src": "/src"}, Paths: []Path{{Path: "/granted", Source: "/of/host"}}}
	b := &Backend{options: o}
	f.Fuzz(func(t *testing.T, p string) {
		if rel, err := relative("/workspace", p); err == nil && !local(rel) {
			t.Errorf("%q is %q below the workspace", p, rel)
		}
		if rel, err := entryPath(p); err == nil && (!local(rel) || rel == "." || strings.Contains(rel, `\`)) {
			t.Errorf("%q is the entry %q", p, rel)
		}
		if dir, rel, err := b.sourceOf(p, backend.LocalFileRead); err == nil && (dir != "/src" || !local(rel)) {
			t.Errorf("%q is %q below %q", p, rel, dir)
		}
		if rel, err := subpathOf(sandbox.Entry{Subpath: p}); err == nil && !local(rel) {
			t.Errorf("%q is %q below a repository", p, rel)
		}
		if g, err := o.grant(sandbox.PathGrant{Path: p, ReadOnly: true}, "/workspace"); err == nil && (!in([]string{"/granted"}, g.path) || !in([]string{"/of/host"}, g.source)) {
			t.Errorf("%q is a grant of %q, which is %q", p, g.path, g.source)
		}
		if isID(p) && (filepath.Base(p) != p || len(p) != 36 || strings.HasPrefix(p, ".")) {
			t.Errorf("%q is the id of a sandbox", p)
		}
	})
}

// local reports whether a path is clean, and below what it is relative to.
func local(rel string) bool {
	return path.Clean(rel) == rel && filepath.IsLocal(rel) && !strings.Contains(rel, "\x00")
}

// FuzzGit reads git_repo entries: nothing of what is taken is an option of git, or leads to another host or another
// kind of URL.
func FuzzGit(f *testing.F) {
	f.Add("", "owner/name", "main", "")
	f.Add("git.example.com:8443", "a/b/c", "refs/tags/v1", "sub/dir")
	f.Add("user@host", "a/b", "-x", "../..")
	f.Add("", "./0", "0", "0")
	f.Add("host#", "../a", "a..b", "/")
	o, err := Options{Dir: "/", Launcher: Unisolated}.checked()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, host, repo, ref, subpath string) {
		if checkGit(sandbox.Entry{Host: host, Repo: repo, Ref: ref, Subpath: subpath}, "") != nil {
			return
		}
		if host == "" {
			host = defaultGitHost
		}
		u, err := url.Parse(o.GitURL(host, repo))
		if err != nil {
			return // is refused when it is fetched
		}
		if u.Scheme != "https" || u.Host != host || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path != "/"+repo+".git" || path.Clean(u.Path) != u.Path {
			t.Errorf("%q at %q is fetched from %v", repo, host, u)
		}
		if strings.HasPrefix(ref, "-") || strings.ContainsAny(ref, ":\x00 ~^?*[\\") {
			t.Errorf("%q was taken as a ref", ref)
		}
	})
}

// FuzzEnvironment makes the variables of unisolated commands: each name once, and those by which a sandbox's processes
// are found are not the caller's.
func FuzzEnvironment(f *testing.F) {
	f.Add("A=b\nHOME=/x\nA=c")
	f.Add("HOME\nPWD=\n=\n\nPATH=/bin")
	b := &Backend{options: Options{Path: DefaultPath}, dir: "/dir"}
	s := newBox(b, backend.Spec{ID: "5b8f7c1e-2222-4333-8444-555555555555"}, account{})
	f.Fuzz(func(t *testing.T, own string) {
		last := map[string]string{"PATH": "PATH=" + DefaultPath, "LANG": "LANG=C.UTF-8"}
		for v := range strings.SplitSeq(own, "\n") {
			name, _, _ := strings.Cut(v, "=")
			last[name] = v
		}
		last["HOME"], last["PWD"] = "HOME="+s.dir(workspaceName), "PWD=/here"
		got := s.environment(strings.Split(own, "\n"), "/here")
		for _, v := range got {
			if name, _, _ := strings.Cut(v, "="); last[name] != v {
				t.Errorf("%q became %q, want %q", own, v, last[name])
			}
		}
		if len(got) != len(last) {
			t.Errorf("%q became %q", own, got)
		}
	})
}
