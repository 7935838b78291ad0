package sandboxtest

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Conformance is the suite that every backend passes: what package backend promises to the host. Its tests are
// subtests of the one that runs it.
type Conformance struct {
	// New returns a backend without sandboxes and closes it when the test ends. It is called by each test.
	// Required.
	New func(t *testing.T) backend.Backend
	// Shell is the program, with its arguments, that runs one string as a POSIX shell script. Empty means sh -c.
	Shell []string
	// NoCommands leaves out the tests that run commands. It is for backends that run no programs, such as a fake.
	NoCommands bool
}

// wait is how long a test waits for something that happens at once if it happens at all.
const wait = 30 * time.Second

// Run runs the suite.
func (c Conformance) Run(t *testing.T) {
	t.Helper()
	if len(c.Shell) == 0 {
		c.Shell = []string{"sh", "-c"}
	}
	t.Run("Life", c.life)
	t.Run("Files", c.files)
	t.Run("Entries", c.entries)
	t.Run("EntryPaths", c.entryPaths)
	t.Run("Archives", c.archives)
	t.Run("UnsafeArchives", c.unsafeArchives)
	t.Run("Spool", c.spool)
	t.Run("Terminals", c.terminals)
	t.Run("ForgedArchives", c.forgedArchives)
	if c.NoCommands {
		return
	}
	t.Run("Exit", c.exit)
	t.Run("Environment", c.environment)
	t.Run("Refused", c.refused)
	t.Run("Ended", c.ended)
	t.Run("Output", c.output)
	t.Run("Concurrent", c.concurrent)
}

// The ids of the sandboxes that tests make.
const (
	idOne = "5b8f7c1e-2222-4333-8444-555555555555"
	idTwo = "0c9d8e7f-1111-4222-8333-444444444444"
)

// started is a started sandbox of a new backend.
func (c Conformance) started(t *testing.T, m sandbox.Manifest) backend.Sandbox {
	t.Helper()
	s := created(t, c.New(t), idOne, m)
	start(t, s)
	return s
}

func created(t *testing.T, b backend.Backend, id string, m sandbox.Manifest) backend.Sandbox {
	t.Helper()
	s, err := b.Create(t.Context(), backend.Spec{ID: id, Manifest: m})
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	return s
}

func start(t *testing.T, s backend.Sandbox) {
	t.Helper()
	if err := s.Start(t.Context()); err != nil {
		t.Fatalf("start: %v", err)
	}
}

func read(t *testing.T, s backend.Sandbox, name string) string {
	t.Helper()
	data, err := s.Read(t.Context(), name)
	if err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return string(data)
}

func write(t *testing.T, s backend.Sandbox, name, data string) {
	t.Helper()
	if err := s.Write(t.Context(), name, []byte(data)); err != nil {
		t.Fatalf("write %s: %v", name, err)
	}
}

// wantCode checks the code of an error, and that it is one of those that trying again does not help.
func wantCode(t *testing.T, what string, err error, want backend.Code) {
	t.Helper()
	var e *backend.Error
	if !errors.As(err, &e) || e.Code != want {
		t.Errorf("%s: error %v with code %q, want %q", what, err, backend.CodeOf(err), want)
		return
	}
	if e.Retryable {
		t.Errorf("%s: %v is retryable", what, err)
	}
}

func wantRunning(t *testing.T, s backend.Sandbox, want bool) {
	t.Helper()
	got, err := s.Running(t.Context())
	if err != nil || got != want {
		t.Errorf("running = %v, %v, want %v", got, err, want)
	}
}

func wantList(t *testing.T, b backend.Backend, want ...string) {
	t.Helper()
	got, err := b.List(t.Context())
	if err != nil {
		t.Fatalf("list: %v", err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, append([]string(nil), got...)); diff != "" {
		t.Errorf("list (-want +got)\n%s", diff)
	}
}

// life is from the first Create to the second Delete.
func (c Conformance) life(t *testing.T) {
	b := c.New(t)
	if b.Kind() == "" || b.Isolation() == "" {
		t.Errorf("kind %q, isolation %q: both must say something", b.Kind(), b.Isolation())
	}
	wantList(t, b)
	if _, err := b.Open(t.Context(), backend.Spec{ID: idOne}); !errors.Is(err, backend.ErrNotFound) {
		t.Errorf("open of no sandbox: %v, want ErrNotFound", err)
	}
	if err := b.Delete(t.Context(), idOne); err != nil {
		t.Errorf("delete of no sandbox: %v", err)
	}
	s := created(t, b, idOne, sandbox.Manifest{})
	wantRunning(t, s, false)
	start(t, s)
	wantRunning(t, s, true)
	write(t, s, "kept", "x")
	if again := created(t, b, idOne, sandbox.Manifest{}); read(t, again, "kept") != "x" {
		t.Error("a second create gave another sandbox")
	}
	opened, err := b.Open(t.Context(), backend.Spec{ID: idOne})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	wantRunning(t, opened, true)
	other := created(t, b, idTwo, sandbox.Manifest{})
	if _, err := other.Read(t.Context(), "kept"); backend.CodeOf(err) != backend.ReadNotFound {
		t.Errorf("a file of another sandbox: %v", err)
	}
	wantList(t, b, idOne, idTwo)
	for range 2 {
		if err := s.Stop(t.Context()); err != nil {
			t.Fatalf("stop: %v", err)
		}
		wantRunning(t, s, false)
	}
	start(t, s)
	wantRunning(t, s, true)
	if read(t, s, "kept") != "x" {
		t.Error("the workspace did not outlive stop")
	}
	for range 2 {
		if err := s.Delete(t.Context()); err != nil {
			t.Fatalf("delete: %v", err)
		}
	}
	wantRunning(t, s, false)
	wantList(t, b, idTwo)
	_, err = s.Read(t.Context(), "kept")
	wantCode(t, "read of a deleted sandbox", err, backend.RootNotFound)
	wantCode(t, "start of a deleted sandbox", s.Start(t.Context()), backend.RootNotFound)
	_, err = s.Exec(t.Context(), backend.Command{Args: []string{"true"}})
	wantCode(t, "command in a deleted sandbox", err, backend.RootNotFound)
	if fresh := created(t, b, idOne, sandbox.Manifest{}); backend.CodeOf(fresh.Write(t.Context(), "new", nil)) != "" {
		t.Error("an id cannot be used again after delete")
	}
	if err := b.Delete(t.Context(), idOne); err != nil {
		t.Errorf("delete by id: %v", err)
	}
	wantList(t, b, idTwo)
	for _, id := range []string{"", ".", "..", "../" + idOne, "x", "5B8F7C1E-2222-4333-8444-555555555555"} {
		if _, err := b.Create(t.Context(), backend.Spec{ID: id}); err == nil {
			t.Errorf("create with the id %q succeeded", id)
		}
	}
}

// files are reads and writes, and the paths that they take.
func (c Conformance) files(t *testing.T) {
	s := c.started(t, sandbox.Manifest{Root: "/data/space"})
	for _, p := range []string{"a", "./b", "deep/er/c", "x/../d", "/data/space/e", "/data/space/../space/f", "with blank", `back\slash`, "ü"} {
		data := "data of " + p
		write(t, s, p, data)
		if got := read(t, s, p); got != data {
			t.Errorf("read of %s = %q", p, got)
		}
	}
	if got := read(t, s, "/data/space/d"); got != "data of x/../d" {
		t.Errorf("read by the absolute path = %q", got)
	}
	binary := string([]byte{0, 0xff, 0xfe, '\r', '\n', 0x80})
	write(t, s, "a", binary)
	if got := read(t, s, "a"); got != binary {
		t.Errorf("binary data became %q", got)
	}
	write(t, s, "a", "")
	if got := read(t, s, "a"); got != "" {
		t.Errorf("empty data became %q", got)
	}
	for _, p := range []string{"..", "../x", "a/../../x", "/etc/passwd", "/", "/data", "/data/spacex", "/data/space/../x", `C:\x`, "c:/x", `\\srv\x`, "a\x00b"} {
		_, err := s.Read(t.Context(), p)
		wantCode(t, "read of "+p, err, backend.InvalidManifestPath)
		wantCode(t, "write of "+p, s.Write(t.Context(), p, nil), backend.InvalidManifestPath)
	}
	_, err := s.Read(t.Context(), "missing/file")
	wantCode(t, "read of a missing file", err, backend.ReadNotFound)
	if want := backend.FileNotFound("missing/file").Error(); err == nil || err.Error() != want {
		t.Errorf("read of a missing file: %v, want %s", err, want)
	}
	for _, p := range []string{"", ".", "deep", "/data/space"} {
		_, err := s.Read(t.Context(), p)
		wantCode(t, "read of the directory "+p, err, backend.ArchiveRead)
		wantCode(t, "write of the directory "+p, s.Write(t.Context(), p, []byte("x")), backend.ArchiveWrite)
	}
	wantCode(t, "write below a file", s.Write(t.Context(), "d/x", nil), backend.ArchiveWrite)
}

// entries are what Start puts into the workspace, the first time and later.
func (c Conformance) entries(t *testing.T) {
	file := func(content string) sandbox.Entry { return sandbox.Entry{Type: sandbox.EntryFile, Content: content} }
	passing := file("passing")
	passing.Ephemeral = true
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"top":   file("top"),
		"a/b/c": file("deep"),
		"dir": {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{
			"file":    file("in dir"),
			"passing": passing,
			"sub/dir": {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{"empty": file("")}},
		}},
		"cache": {Type: sandbox.EntryDir, Ephemeral: true, Children: map[string]sandbox.Entry{"file": file("cached")}},
	}}
	want := map[string]string{
		"top": "top", "a/b/c": "deep", "dir/file": "in dir", "dir/passing": "passing", "dir/sub/dir/empty": "", "cache/file": "cached",
	}
	s := created(t, c.New(t), idOne, m)
	if _, err := s.Read(t.Context(), "top"); backend.CodeOf(err) != backend.ReadNotFound {
		t.Errorf("create wrote entries: %v", err)
	}
	start(t, s)
	for p, data := range want {
		if got := read(t, s, p); got != data {
			t.Errorf("%s = %q, want %q", p, got, data)
		}
		write(t, s, p, "changed")
	}
	start(t, s)
	want["dir/passing"], want["cache/file"] = "passing", "cached"
	for p := range want {
		got, ephemeral := read(t, s, p), p == "dir/passing" || p == "cache/file"
		if ephemeral && got != want[p] || !ephemeral && got != "changed" {
			t.Errorf("after the second start %s = %q", p, got)
		}
	}
}

// entryPaths are those that no manifest may have.
func (c Conformance) entryPaths(t *testing.T) {
	b := c.New(t)
	for _, p := range []string{"/abs", "..", "../x", "a/../b", `a\..\..\b`, `C:\x`, `\\srv\x`, "", ".", "a\x00b"} {
		for _, m := range []sandbox.Manifest{
			{Entries: map[string]sandbox.Entry{p: {Type: sandbox.EntryFile}}},
			{Entries: map[string]sandbox.Entry{"dir": {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{p: {Type: sandbox.EntryFile}}}}},
		} {
			s, err := b.Create(t.Context(), backend.Spec{ID: idOne, Manifest: m})
			if err == nil {
				err = s.Start(t.Context())
				if err := s.Delete(t.Context()); err != nil {
					t.Errorf("a sandbox with the entry %q cannot be deleted: %v", p, err)
				}
			}
			wantCode(t, "the entry "+p, err, backend.InvalidManifestPath)
		}
	}
}

// archived returns the workspace as an archive.
func archived(t *testing.T, s backend.Sandbox) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.Persist(t.Context(), &out); err != nil {
		t.Fatalf("persist: %v", err)
	}
	return out.Bytes()
}
