package local_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/seccomp"
)

func init() {
	parts["container"] = container
	parts["contained"] = contained
}

// containedUID is the account of workers in containers, as in deploy/pod.yaml.
const containedUID = 10001

// containerJob is what the first process of a container is told.
type containerJob struct {
	// Masked are files of /proc that are covered, as runtimes do.
	Masked []string
	Filter []unix.SockFilter
	// Launcher is that of the worker.
	Launcher local.Launcher
}

// TestContainer runs a worker as deploy/pod.yaml does: in a user namespace, with an ordinary account, no capability,
// no_new_privs, a /proc of its own and the filter of deploy/seccomp.json.
func TestContainer(t *testing.T) {
	if refused(t, local.Native) {
		return // a host that makes no sandbox makes no such container
	}
	p := readProfile(t)
	if out := inContainer(t, containerJob{Filter: p.filter(t)}); out != "10001 0000000000000000 1 2: hello, 0\n" {
		t.Errorf("the worker says: %s", out)
	}
}

// TestContainerRefused checks what New says in a container that does not let it make sandboxes: each of the calls that
// deploy/seccomp.json has for that is needed, and a /proc that hides nothing.
func TestContainerRefused(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	p := readProfile(t)
	steps := map[string]string{
		"clone": "namespaces", "mount": "sources", "open_tree": "sources", "mount_setattr": "sources", "unshare": "cgroup-namespace",
		"move_mount": "mounts", "pivot_root": "pivot", "umount2": "pivot", "sethostname": "hostname", "setdomainname": "hostname",
	}
	building := p.Syscalls[1].Names
	if len(building) != len(steps) {
		t.Errorf("the profile has %d calls that make sandboxes, the test knows %d", len(building), len(steps))
	}
	type refusal struct {
		name, says string
		job        containerJob
	}
	cases := []refusal{
		{"default profile", "namespaces answered EPERM: the host or its container does not let this account make user namespaces", containerJob{Filter: p.filter(t, building...)}},
		{"masked proc", "proc answered EPERM: the container's /proc is masked", containerJob{Masked: []string{"version"}, Filter: p.filter(t)}},
	}
	for _, name := range building {
		cases = append(cases, refusal{"without " + name, steps[name] + " answered EPERM: ", containerJob{Filter: p.filter(t, name)}})
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			want := "10001 0000000000000000 1 2: local: native cannot isolate on this host, nothing was run: " + c.says
			if out := inContainer(t, c.job); !strings.HasPrefix(out, want) || strings.Contains(out, "see docs") {
				t.Errorf("the worker says: %s, want %s", out, want)
			}
		})
	}
}

// TestContainerLandlock runs a worker in containers that let nobody make namespaces, and cover what is in /proc.
func TestContainerLandlock(t *testing.T) {
	if refused(t, local.Native) || refused(t, local.Landlock) {
		return
	}
	p := readProfile(t)
	job := containerJob{Masked: []string{"version"}, Filter: p.filter(t, p.Syscalls[1].Names...), Launcher: local.Landlock}
	if out := inContainer(t, job); out != "10001 0000000000000000 1 2: hello, 0\n" {
		t.Errorf("the worker says: %s", out)
	}
}

// inContainer returns what a worker in a container says. One on a busy machine may have waited too long for its first
// process, of which nothing is to be seen here: it is asked again.
func inContainer(t *testing.T, job containerJob) string {
	t.Helper()
	for range 5 {
		if out := runContainer(t, job); !strings.Contains(out, "handshake") {
			return out
		}
	}
	return runContainer(t, job)
}

func runContainer(t *testing.T, job containerJob) string {
	t.Helper()
	data, err := json.Marshal(job)
	if err != nil {
		t.Fatal(err)
	}
	mapped := func(own, other int) []syscall.SysProcIDMap {
		if os.Geteuid() != 0 {
			other = own
		}
		return []syscall.SysProcIDMap{{ContainerID: containedUID, HostID: other, Size: 1}}
	}
	const host = 1_950_010_001 // where it does not count which account it is
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), part+"=container")
	cmd.Stdin = bytes.NewReader(data)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID, AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP},
		UidMappings: mapped(os.Geteuid(), host), GidMappings: mapped(os.Getegid(), host), Pdeathsig: syscall.SIGKILL,
		Credential: &syscall.Credential{Uid: containedUID, Gid: containedUID, NoSetGroups: true},
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the container: %v: %s", err, out)
	}
	return string(out)
}

// container is the first process of a container: it makes the file system, gives up what workers have not, and becomes
// the worker.
func container() {
	runtime.LockOSThread()
	var job containerJob
	must(json.NewDecoder(os.Stdin).Decode(&job))
	must(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	must(unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""))
	for _, name := range job.Masked {
		must(unix.Mount("/dev/null", "/proc/"+name, "", unix.MS_BIND, ""))
	}
	must(unix.Mount("tmpfs", "/mnt", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=700"))
	must(unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break
		}
		must(err)
	}
	var none [2]unix.CapUserData
	must(unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]))
	must(seccomp.Install(job.Filter))
	must(unix.Exec("/proc/self/exe", []string{"worker"}, []string{part + "=contained", "LAUNCHER=" + strconv.Itoa(int(job.Launcher))}))
}

// contained is a worker: it says what it is, and what a command of a sandbox says or why there is none.
func contained() {
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	field := func(name string) string {
		return string(regexp.MustCompile(`(?m)^` + name + `:\s*(\S+)`).FindSubmatch(status)[1])
	}
	fmt.Print(os.Geteuid(), " ", field("CapBnd"), " ", field("NoNewPrivs"), " ", field("Seccomp"), ": ")
	l, err := strconv.Atoi(os.Getenv("LAUNCHER"))
	must(err)
	b, err := local.New(local.Options{Dir: "/mnt/sandboxes", Launcher: local.Launcher(l)})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	s, err := b.Create(ctx, backend.Spec{ID: id, Manifest: sandbox.Manifest{}})
	must(err)
	must(s.Start(ctx))
	var out bytes.Buffer
	r, err := s.Exec(ctx, backend.Command{Args: []string{"sh", "-c", "echo hello > a; cat a"}, Stdout: &out})
	must(err)
	must(s.Delete(ctx))
	must(b.Close())
	fmt.Printf("%s, %d\n", strings.TrimSpace(out.String()), r.ExitCode)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// seccompProfile is what runtimes make a filter from, as far as deploy/seccomp.json has it.
type seccompProfile struct {
	DefaultErrnoRet uint32
	Syscalls        []struct {
		Names []string
		Args  []struct {
			Index uint32
			Value uint64
			Op    string
		}
	}
}

func readProfile(t *testing.T) seccompProfile {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "deploy", "seccomp.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p seccompProfile
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// filter is the program of the profile, but that some calls are refused as default profiles refuse them. Of clone only
// those that make a namespace are: threads are made with it, too.
func (p seccompProfile) filter(t *testing.T, but ...string) []unix.SockFilter {
	t.Helper()
	numbers, err := callNumbers()
	if err != nil {
		t.Fatal(err)
	}
	const (
		word       = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal      = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		give       = unix.BPF_RET | unix.BPF_K
		refused    = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
		namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET
	)
	argument := func(index uint32) unix.SockFilter { return unix.SockFilter{Code: word, K: 16 + 8*index} }
	program := []unix.SockFilter{{Code: word}}
	for _, name := range but {
		if name == "clone" {
			program = append(program, unix.SockFilter{Code: equal, K: numbers[name], Jf: 5}, argument(0),
				unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: namespaces}, unix.SockFilter{Code: equal, Jt: 1},
				unix.SockFilter{Code: give, K: refused}, unix.SockFilter{Code: word})
			continue
		}
		program = append(program, unix.SockFilter{Code: equal, K: numbers[name], Jf: 1}, unix.SockFilter{Code: give, K: refused})
	}
	for _, rule := range p.Syscalls {
		for _, name := range rule.Names {
			number, ok := numbers[name]
			if !ok {
				continue // of another architecture
			}
			if len(rule.Args) == 0 {
				program = append(program, unix.SockFilter{Code: equal, K: number, Jf: 1}, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW})
				continue
			}
			if len(rule.Args) > 1 || rule.Args[0].Op != "SCMP_CMP_EQ" {
				t.Fatalf("the test cannot make a filter of the rule of %s", name)
			}
			a := rule.Args[0]
			program = append(program, unix.SockFilter{Code: equal, K: number, Jf: 4}, argument(a.Index),
				unix.SockFilter{Code: equal, K: uint32(a.Value), Jf: 1}, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ALLOW},
				unix.SockFilter{Code: word})
		}
	}
	return append(program, unix.SockFilter{Code: give, K: unix.SECCOMP_RET_ERRNO | p.DefaultErrnoRet})
}

// callNumbers are those of this architecture, from the source of golang.org/x/sys.
var callNumbers = sync.OnceValues(func() (map[string]uint32, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "zsysnum_linux_"+runtime.GOARCH+".go"))
	if err != nil {
		return nil, err
	}
	numbers := map[string]uint32{}
	for _, m := range regexp.MustCompile(`SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.ParseUint(m[2], 10, 32)
		if err != nil {
			return nil, err
		}
		numbers[strings.ToLower(m[1])] = uint32(n)
	}
	return numbers, nil
})
