package local_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// remains are what sandboxes could leave of themselves in this process and on its host.
type remains struct {
	Children    []string // command lines of its processes and those of its starters; none of those that were not waited for
	Descriptors []string // what they are of
	Groups      []string // control groups that this process made
	Records     []string // in the directory of a backend
}

// remainsIn looks at what is there now, with the records below the directory of a backend.
func remainsIn(t *testing.T, dir string) remains {
	t.Helper()
	var r remains
	self := strconv.Itoa(os.Getpid())
	all := holders(t)
	for _, p := range all {
		if p.Parent == self || all[p.Parent].Parent == self {
			r.Children = append(r.Children, p.Cmdline)
		}
	}
	slices.Sort(r.Children)
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if of, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			kind, _, _ := strings.Cut(of, ":[") // another starter has another socket
			r.Descriptors = append(r.Descriptors, kind)
		}
	}
	r.Groups = groupsOf(os.Getpid())
	if r.Records, err = filepath.Glob(filepath.Join(dir, "*", "run", "*")); err != nil {
		t.Fatal(err)
	}
	return r
}

// groupsOf are the directories of the control groups that a worker made.
func groupsOf(pid int) []string {
	var groups []string
	own := fmt.Sprintf("-%d-", pid)
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.Contains(d.Name(), own) {
			groups = append(groups, path)
		}
		return nil // those of others come and go
	})
	return groups
}

// wantRemains checks that nothing came to what was there before.
func wantRemains(t *testing.T, dir string, before remains) {
	t.Helper()
	if diff := cmp.Diff(before, remainsIn(t, dir)); diff != "" {
		t.Errorf("left (-before +after):\n%s", diff)
	}
}

// isolated is for newBackend.
func isolated(o *local.Options) { o.Launcher = local.Native }

// confined is for newBackend.
func confined(o *local.Options) { o.Launcher = local.Landlock }
