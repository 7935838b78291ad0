package seccomp

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The numbers of an architecture as golang.org/x/sys has them, by lower-case name. Its constants are those of one
// architecture, so they are read from its source.
func numbers(tb testing.TB, arch string) map[string]uint32 {
	tb.Helper()
	dir, err := sources()
	if err != nil {
		tb.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "zsysnum_linux_"+arch+".go"))
	if err != nil {
		tb.Fatal(err)
	}
	known := map[string]uint32{}
	for _, line := range regexp.MustCompile(`SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(text), -1) {
		number, err := strconv.ParseUint(line[2], 10, 32)
		if err != nil {
			tb.Fatal(err)
		}
		known[strings.ToLower(line[1])] = uint32(number)
	}
	return known
}

var sources = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "golang.org/x/sys/unix").Output()
	return strings.TrimSpace(string(out)), err
})

func TestNumbersAreThoseOfTheKernel(t *testing.T) {
	for name, arch := range architectures {
		known := numbers(t, name)
		for _, r := range rules(widest) {
			want, ok := known[r.name]
			if !ok {
				want = absent
			}
			if got := arch.number(r.call); got != want {
				t.Errorf("%s on %s: number %d, want %d", r.name, name, got, want)
			}
		}
		last := uint32(0)
		for _, number := range known {
			last = max(last, number)
		}
		if last != newest {
			t.Errorf("golang.org/x/sys knows calls up to %d on %s, the table was held against %d: look at those between, and raise newest", last, name, newest)
		}
	}
}

func TestCallsThatAnArchitectureLacks(t *testing.T) {
	lacking := map[string][]string{}
	for name, arch := range architectures {
		lacking[name] = []string{}
		for _, r := range rules(widest) {
			if arch.number(r.call) == absent {
				lacking[name] = append(lacking[name], r.name)
			}
		}
		slices.Sort(lacking[name])
	}
	want := map[string][]string{"amd64": {}, "arm64": {
		"chmod", "chown", "create_module", "futimesat", "inotify_init", "ioperm", "iopl", "lchown", "query_module", "utime", "utimes",
	}}
	if diff := cmp.Diff(want, lacking); diff != "" {
		t.Errorf("calls that are absent (-want +got):\n%s", diff)
	}
}

// widest denies all that the table has, but for sockets.
var widest = Options{Shared: true, Owner: true}

// What must be denied, by pattern, so that a member that the kernel adds to a family is not forgotten.
var families = []string{
	`unshare`, `setns`, `clone3?`, `u?mount2?`, `move_mount`, `mount_setattr`, `fs(open|config|mount|pick)`, `open_tree.*`, `pivot_root`,
	`chroot`, `.*_handle_at`, `ptrace`, `process_vm_.*`, `pidfd_getfd`, `kcmp`, `bpf`, `io_uring_.*`, `perf_event_open`, `userfaultfd`,
	`fanotify_init`, `lookup_dcookie`, `(add|request)_key`, `keyctl`, `memfd_secret`, `reboot`, `kexec_.*`, `.*_module`, `swapo.*`,
	`acct`, `quotactl.*`, `syslog`, `iopl`, `ioperm`, `vhangup`, `set(host|domain)name`, `settimeofday`, `clock_(set|adj)time`, `adjtimex`,
	`(move|migrate)_pages`, `mbind`, `set_mempolicy.*`, `personality`, `ioctl`, `socket(pair)?`,
	`setrlimit`, `prlimit64`,
}

// What must be denied besides without namespaces and to an account that owns files of the host. What an open file is needed
// for is none of it.
var moreFamilies = []string{
	`shm(get|at|ctl)`, `sem.*`, `msg(get|snd|rcv|ctl)`, `mq_(open|unlink)`, `bind`, `(stat|list)mount`, `listns`, `process_m.*`, `inotify_(add_watch|init1?)`,
	`sched_set.*`, `setpriority`, `ioprio_set`, `chmod`, `fchmodat.*`, `l?chown`, `fchownat`, `f?utime.*`, `l?(set|get|list|remove)xattr(at)?`, `file_setattr`,
}

func TestFamiliesAreWhole(t *testing.T) {
	table := map[string]bool{}
	for _, r := range rules(Options{}) {
		table[r.name] = true
	}
	wantFamilies(t, families, table)
	more := map[string]bool{}
	for _, r := range rules(widest) {
		if !table[r.name] {
			more[r.name] = true
		}
	}
	wantFamilies(t, moreFamilies, more)
}

// wantFamilies checks that a table has the calls of all architectures that fit a pattern, and no other.
func wantFamilies(t *testing.T, patterns []string, table map[string]bool) {
	t.Helper()
	found := map[string]bool{}
	family := regexp.MustCompile(`^(` + strings.Join(patterns, "|") + `)$`)
	for name := range architectures {
		for known := range numbers(t, name) {
			if family.MatchString(known) {
				found[known] = true
			}
		}
	}
	if diff := cmp.Diff(found, table); diff != "" {
		t.Errorf("the table (-families +table):\n%s", diff)
	}
}

// No call is there twice without conditions, where the second row would say nothing.
func TestRowsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range widest.denied() {
		if seen[c.name] {
			t.Errorf("%s is denied twice", c.name)
		}
		seen[c.name] = true
	}
	for _, r := range rules(widest)[len(widest.denied()):] {
		if seen[r.name] {
			t.Errorf("%s has conditions, but is denied without", r.name)
		}
	}
}
