package cgroup

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

func FuzzLocate(f *testing.F) {
	const mounts = "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n" +
		"41 31 0:38 /a /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
	f.Add(mounts, "5:cpu,cpuacct:/w\n1:name=systemd:/\n0::/a/b\n")
	f.Add(mounts, "0::/../../x\n")
	f.Add(mounts, "5:cpu:/..//\n0::/a/../b\n0:memory:/\n")
	f.Add("32 31 0:29 /../.. /sys rw - cgroup2 c\\040d rw\n", "0::/\n:::\n")
	f.Fuzz(func(t *testing.T, mountinfo, groups string) {
		locate(mountinfo, groups)
		for _, p := range locate(mounts, groups) {
			for _, dir := range p.dirs {
				if !strings.HasPrefix(dir+"/", "/sys/fs/cgroup/cpu/") && !strings.HasPrefix(dir+"/", "/sys/fs/cgroup/unified/") {
					t.Errorf("%q is outside of the mounts", dir)
				}
			}
		}
	})
}

func FuzzFiles(f *testing.F) {
	f.Add("low 0\nmax 9\noom 3\n", "max")
	f.Add("populated -1\n7\n0\n", "populated")
	f.Fuzz(func(t *testing.T, text, key string) {
		if n, ok := keyed(text, key); n < 0 && ok {
			t.Errorf("a count of %d", n)
		}
		for _, pid := range pids(text) {
			if pid <= 0 {
				t.Errorf("a process id of %d", pid)
			}
		}
	})
}

func FuzzOwner(f *testing.F) {
	f.Add("4026531836-12-345-6", "12 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20")
	f.Add("1-2-3-4-5", "12 (x) Z")
	f.Add("01-2-3-4", ")")
	f.Add("pid:[4026531836]", "7 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 18446744073709551616")
	f.Fuzz(func(t *testing.T, name, stat string) {
		if o, ok := ownerOf(name); ok {
			if got, ok := ownerOf(o.name(9)); !ok || got != o || !strings.HasPrefix(name, fmt.Sprintf("%d-%d-", o.namespace, o.pid)) {
				t.Errorf("%q was read as %+v", name, o)
			}
		}
		if n, ok := namespaceIn(name); ok {
			if again, ok := namespaceIn(fmt.Sprintf("pid:[%d]", n)); !ok || again != n {
				t.Errorf("%q was read as %d, and that as %d", name, n, again)
			}
		}
		// The name of a program, which commands choose, changes nothing.
		start, err := startIn(stat)
		tail := stat[strings.LastIndexByte(stat, ')')+1:]
		if named, err2 := startIn("7 (" + name + ")" + tail); named != start || (err == nil) != (err2 == nil) {
			t.Errorf("%q is from %d, %v, and named %q from %d, %v", stat, start, err, name, named, err2)
		}
		if again, err2 := startIn(fmt.Sprintf("7 () S%s %d", strings.Repeat(" 0", 18), start)); err2 != nil || again != start {
			t.Errorf("%d was read as %d, %v", start, again, err2)
		}
	})
}

// FuzzHolds compares what was read back of a limit: none is higher than what was set, or lower by a page.
func FuzzHolds(f *testing.F) {
	f.Add("1048576", "1044480", true)
	f.Add("1", "max", true)
	f.Add("9223372036854775807", "-9223372036854775808", true)
	f.Add("50000 100000", "50000 100000", false)
	f.Fuzz(func(t *testing.T, text, got string, rounded bool) {
		if !(setting{text: text, rounded: rounded}).holds(got) {
			return
		}
		want, err := strconv.ParseInt(text, 10, 64)
		is, err2 := strconv.ParseInt(got, 10, 64)
		if text != got && (!rounded || errors.Join(err, err2) != nil || is <= 0 || is > want || is <= want-int64(os.Getpagesize())) {
			t.Errorf("%q is held by %q", text, got)
		}
	})
}

func TestStartIn(t *testing.T) {
	for stat, want := range map[string]uint64{
		"12 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20": 99,
		"12 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 20":    0,
		"12 (a) S 1": 0,
	} {
		if start, err := startIn(stat); start != want || (err == nil) != (want != 0) {
			t.Errorf("%q: got %d, %v, want %d", stat, start, err, want)
		}
	}
}
