package probe

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain has the probes start this program where they start themselves.
func TestMain(m *testing.M) {
	if code, is := Main(os.Args[1:], os.Stdin, os.Stdout); is {
		os.Exit(code)
	}
	m.Run()
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		name, in string
		args     []string
		code     int
		is       bool
	}{
		{name: "none"},
		{name: "of a test", args: []string{"-test.run", "x"}},
		{name: "the marker alone", args: []string{Marker}},
		{name: "the marker later", args: []string{"-x", Marker, "environment"}},
		{name: "unknown probe", args: []string{Marker, "no-such"}, in: "{}", code: 2, is: true},
		{name: "no task", args: []string{Marker, "environment"}, code: 2, is: true},
		{name: "no JSON", args: []string{Marker, "environment"}, in: "x", code: 2, is: true},
		{name: "a probe", args: []string{Marker, "environment"}, in: "{}", is: true},
		{name: "a part", args: []string{Marker, "nothing"}, is: true},
	} {
		var out bytes.Buffer
		code, is := Main(c.args, strings.NewReader(c.in), &out)
		if code != c.code || is != c.is || (out.Len() > 0) != (c.name == "a probe") {
			t.Errorf("%s: code %d, %v, output %q", c.name, code, is, out.String())
		}
	}
}

// TestMapped looks up accounts in the tables of user namespaces.
func TestMapped(t *testing.T) {
	for _, c := range []struct {
		table       string
		id, outside int
		ok          bool
	}{
		{"         0          0 4294967295\n", 1000, 1000, true},
		{"0 100000 65536\n", 0, 100000, true},
		{"0 100000 65536\n", 65535, 165535, true},
		{"0 100000 65536\n", 65536, 0, false},
		{"0 1000 1\n1 100000 10\n", 3, 100002, true},
		{"1000 0 1\n", 1000, 0, true},
		{"", 0, 0, false},
		{"x\n", 0, 0, false},
	} {
		if outside, ok := mapped(c.table, c.id); outside != c.outside || ok != c.ok {
			t.Errorf("%q of %d: %d, %v", c.table, c.id, outside, ok)
		}
	}
}

// TestOpens: /dev/null in the place of a file is no way to the file, and a named pipe makes nobody wait.
func TestOpens(t *testing.T) {
	dir := t.TempDir()
	file, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "pipe")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{file: true, "/dev/null": false, filepath.Join(dir, "missing"): false, pipe: true} {
		if got := opens(name, unix.O_RDONLY); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestSealed: a program in memory that can never be written again is no way to overwrite it.
func TestSealed(t *testing.T) {
	fd, err := unix.MemfdCreate("program", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(fd), "")
	defer func() { _ = f.Close() }()
	name := Of(os.Getpid(), filepath.Join("fd", strconv.Itoa(fd)))
	if sealed(name) {
		t.Error("not yet sealed")
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_WRITE); err != nil {
		t.Fatal(err)
	}
	if !sealed(name) {
		t.Error("sealed")
	}
	if sealed(filepath.Join(t.TempDir(), "missing")) {
		t.Error("a file that cannot be opened is sealed")
	}
}

// TestWrites: a file counts that is on a file system of the host, or if nobody knows which these are.
func TestWrites(t *testing.T) {
	dir := t.TempDir()
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "x")
	for _, c := range []struct {
		devices []uint64
		name    string
		want    bool
	}{{nil, name, true}, {[]uint64{stat.Dev}, name, true}, {[]uint64{stat.Dev + 1}, name, false}, {nil, filepath.Join(dir, "no", "x"), false}} {
		if got := (Task{Devices: c.devices}).writes(c.name); got != c.want {
			t.Errorf("devices %v, %s: %v", c.devices, c.name, got)
		}
		if _, err := os.Lstat(name); err == nil {
			t.Fatal("the file is still there")
		}
	}
}

// TestDescriptors: what is not closed on exec came from outside.
func TestDescriptors(t *testing.T) {
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	inherited := func() bool {
		f := new(found)
		descriptors(f)
		for _, b := range f.breaches {
			if b == "descriptor "+strconv.Itoa(fd)+" is open" {
				return true
			}
		}
		return false
	}
	if inherited() {
		t.Error("its own descriptor counts")
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	if !inherited() {
		t.Error("an inherited descriptor does not count")
	}
}

// TestOrdinary: an account of the host without rights is safe from what only rights do.
func TestOrdinary(t *testing.T) {
	for _, name := range []string{"identity", "mounts", "settings"} {
		cmd := self(name)
		cmd.Dir = t.TempDir()
		if os.Getuid() == 0 {
			cmd.Dir = "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		cmd.Stdin = strings.NewReader("{}")
		out, err := cmd.Output()
		if r := Judge(name, out, 0, err); !r.IsSafe() {
			t.Errorf("%s: %s", name, r.Detail)
		}
	}
}

// TestAccountZero: the kernel's own account is not safe, wherever it is looked at from inside.
func TestAccountZero(t *testing.T) {
	var f found
	identity(Task{}, &f)
	if os.Getuid() == 0 && len(f.breaches) == 0 {
		t.Error("account 0 is safe")
	}
	f = found{}
	identity(Task{Outside: true}, &f)
	if len(f.breaches) > 0 {
		t.Errorf("what is looked at from outside is judged from inside: %q", f.breaches)
	}
}
