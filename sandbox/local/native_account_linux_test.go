package local_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

const otherID = "5b8f7c1e-2222-4333-8444-666666666666"

// owner is that of a file or directory.
func owner(t *testing.T, name string) [2]int {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	s := info.Sys().(*syscall.Stat_t)
	return [2]int{int(s.Uid), int(s.Gid)}
}

// startedAs makes and starts a sandbox of an id.
func startedAs(t *testing.T, b *local.Backend, id string, m sandbox.Manifest) backend.Sandbox {
	t.Helper()
	s, err := b.Create(t.Context(), backend.Spec{ID: id, Manifest: m})
	if err == nil {
		err = s.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOwners checks that all that is in a workspace belongs to the account of its sandbox, whoever made it there. Only
// root can give accounts; without it that is the worker's own.
func TestOwners(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	top := t.TempDir()
	source, dir := filepath.Join(top, "source"), filepath.Join(top, "sandboxes")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(source, "in"), 0o700), os.WriteFile(filepath.Join(source, "in", "f"), []byte("x"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	b := newBackend(t, isolated, func(o *local.Options) {
		o.Dir, o.Roots = dir, map[string]string{"top": top}
	})
	manifest := sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"m": {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{
			"f": {Type: sandbox.EntryFile, Content: "x"}, "d": {Type: sandbox.EntryDir},
			"copy": {Type: sandbox.EntryLocalDir, Src: "top:source"}, "one": {Type: sandbox.EntryLocalFile, Src: "top:source/in/f"},
		}},
	}}
	s, other := startedAs(t, b, id, manifest), startedAs(t, b, otherID, manifest)
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for _, h := range []tar.Header{
		{Name: "t/d/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "t/d/f", Typeflag: tar.TypeReg, Mode: 0o644},
		{Name: "t/new/f", Typeflag: tar.TypeReg, Mode: 0o600, Uid: 0},
		{Name: "t/l", Typeflag: tar.TypeSymlink, Linkname: "d/f"},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []backend.Sandbox{s, other} {
		if err := errors.Join(
			s.Write(t.Context(), "w/a/b/f", []byte("x")), s.Write(t.Context(), "w/a/b/f", []byte("again")),
			s.Hydrate(t.Context(), bytes.NewReader(archive.Bytes())),
		); err != nil {
			t.Fatal(err)
		}
		sh(t, s, "mkdir c; echo x > c/f; echo more >> w/a/b/f; echo more >> m/f; rm m/copy/in/f; mv t/d c; [ $(id -un) = agent ]")
		if err := s.Write(t.Context(), "c/f", []byte("over the command's")); err != nil {
			t.Fatal(err)
		}
	}
	owners := map[string][2]int{}
	for _, id := range []string{id, otherID} {
		workspace := filepath.Join(dir, id, "workspace")
		of := owner(t, workspace)
		owners[id] = of
		found := 0
		if err := filepath.WalkDir(workspace, func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			found++
			if got := owner(t, name); got != of {
				t.Errorf("%s belongs to %v, the workspace to %v", strings.TrimPrefix(name, workspace), got, of)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if found < 19 {
			t.Errorf("%d files and directories: the test shows nothing", found)
		}
		if got := owner(t, filepath.Join(dir, id)); got != [2]int{os.Geteuid(), os.Getegid()} {
			t.Errorf("the directory around a workspace belongs to %v", got)
		}
	}
	one := owners[id][0]
	want := map[string][2]int{id: {one, one}, otherID: {next(one, local.DefaultFirstUID), next(one, local.DefaultFirstUID)}}
	if uid := os.Geteuid(); uid != 0 {
		want = map[string][2]int{id: {uid, os.Getegid()}, otherID: {uid, os.Getegid()}}
	}
	if diff := cmp.Diff(want, owners); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
}

// next is the account that is given after another.
func next(uid, first int) int { return first + (uid-first+1)%(1<<16) }

// TestAccountsAgain checks that the account of a deleted sandbox is not the next one's, and that of one that is there is
// nobody else's.
func TestAccountsAgain(t *testing.T) {
	if refused(t, local.Native) || os.Geteuid() != 0 {
		return
	}
	dir := filepath.Join(t.TempDir(), "sandboxes")
	const first = 1_000_000
	b := newBackend(t, isolated, func(o *local.Options) { o.Dir, o.FirstUID = dir, first })
	uid := func(id string) int { return owner(t, filepath.Join(dir, id, "workspace"))[0] - first }
	s := startedAs(t, b, id, sandbox.Manifest{})
	startedAs(t, b, otherID, sandbox.Manifest{})
	had := map[int]bool{uid(id): true, uid(otherID): true}
	other := uid(otherID)
	if len(had) != 2 {
		t.Errorf("accounts %v", had)
	}
	for range 3 {
		if err := s.Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
		s = startedAs(t, b, id, sandbox.Manifest{})
		if got := uid(id); had[got] || got < 0 || got >= 1<<16 || uid(otherID) != other {
			t.Errorf("account %d after those of %v", got, had)
		}
		had[uid(id)] = true
		if got := sh(t, s, "touch f; stat -c %u f"); got != "1000\n" {
			t.Errorf("inside the account is %q", got)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	// After a restart accounts are known by what belongs to them.
	b = newBackend(t, isolated, func(o *local.Options) { o.Dir, o.FirstUID = dir, first })
	again, err := b.Open(t.Context(), backend.Spec{ID: otherID})
	if err == nil {
		err = again.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	sh(t, again, "touch mine")
	if got := owner(t, filepath.Join(dir, otherID, "workspace", "mine"))[0] - first; got != other {
		t.Errorf("account %d after a restart", got)
	}
}

// TestStrangeOwner checks that a workspace which belongs to nobody's account is not used.
func TestStrangeOwner(t *testing.T) {
	if refused(t, local.Native) || os.Geteuid() != 0 {
		return
	}
	for name, uid := range map[string]int{"root": 0, "an account": 1000, "below": local.DefaultFirstUID - 1, "above": local.DefaultFirstUID + 1<<16} {
		dir := filepath.Join(t.TempDir(), "sandboxes")
		options := func(o *local.Options) { o.Dir = dir }
		b := newBackend(t, isolated, options)
		started(t, b, sandbox.Manifest{})
		if err := errors.Join(b.Close(), os.Chown(filepath.Join(dir, id, "workspace"), uid, uid)); err != nil {
			t.Fatal(err)
		}
		b = newBackend(t, isolated, options)
		_, err := b.Open(t.Context(), backend.Spec{ID: id})
		_, err2 := b.Create(t.Context(), backend.Spec{ID: id})
		for _, err := range []error{err, err2} {
			if backend.CodeOf(err) != backend.StartFailed || !strings.Contains(err.Error(), "another Options.FirstUID") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestClosedFiles checks that root's worker keeps what commands closed to everybody, and removes it.
func TestClosedFiles(t *testing.T) {
	if refused(t, local.Native) || os.Geteuid() != 0 {
		return
	}
	dir := filepath.Join(t.TempDir(), "sandboxes")
	s := started(t, newBackend(t, isolated, func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{})
	sh(t, s, "mkdir d; echo x > d/f; chmod 000 d/f d; chmod 000 .")
	var archive bytes.Buffer
	if err := s.Persist(t.Context(), &archive); err != nil {
		t.Fatal(err)
	}
	got := map[string]int64{}
	for r := tar.NewReader(&archive); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got[h.Name] = h.Mode
	}
	if diff := cmp.Diff(map[string]int64{"./": 0, "./d/": 0, "./d/f": 0}, got); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, dir)
}

// ordinary are the tests that an account without rights passes, too.
const ordinary = `^(TestConformance|TestFailingSteps|TestWithoutInit|TestLackingHosts|TestLimits|TestCPUs|TestUnheldLimit|TestOtherTimeout|` +
	`TestHiddenValues|TestExactBytes|TestSignalsToTheFirst|TestKilledFirst|TestKilledIsolatedWorker|TestOwners|TestBoundedOutput|TestHostile|` +
	`TestReadGranted|TestWriteGranted|TestGrantedDirectory|TestGoneGrant)$`

// TestAsOrdinaryUser runs them as one, where the worker is root.
func TestAsOrdinaryUser(t *testing.T) {
	t.Parallel()
	const nobody = 65534
	if os.Geteuid() != 0 {
		return // they run as one already
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "test")
	data, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = errors.Join(os.WriteFile(program, data, 0o755), os.Chown(dir, nobody, nobody), os.Chown(filepath.Dir(dir), nobody, nobody))
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run", ordinary, "-test.skip", "^TestConformance$/^unisolated$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestConformance")) {
		t.Errorf("%v\n%s", err, out)
	}
}
