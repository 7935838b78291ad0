package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mechanism is how one version limits one thing.
type mechanism struct {
	limit      Limit
	controller string
	name       string
	settings   func(Limits) []setting
	// hits counts in the group's directory, by the file that its result names. Nil if nothing is killed or refused.
	hits func(host, string) (count int64, by string, err error)
}

// setting is a file and what it must hold.
type setting struct {
	file, text string
	optional   bool // some kernels do not have it
	rounded    bool // to pages
}

// Both versions, by their limits. Swap comes after memory, which it must not be below in version 1.
var (
	mechanismsV2 = []mechanism{
		{Memory, "memory", "cgroup v2 memory.max", func(l Limits) []setting {
			return []setting{
				{file: "memory.max", text: bytes(l), rounded: true},
				{file: "memory.swap.max", text: "0", optional: true},
			}
		}, oomV2},
		{Processes, "pids", "cgroup v2 pids.max", limitPIDs, refusals("cgroup v2 pids.events")},
		{CPUs, "cpu", "cgroup v2 cpu.max", func(l Limits) []setting {
			return []setting{{file: "cpu.max", text: fmt.Sprintf("%d %d", l.quota(), cpuPeriod)}}
		}, nil},
	}
	mechanismsV1 = []mechanism{
		{Memory, "memory", "cgroup v1 memory.limit_in_bytes", func(l Limits) []setting {
			return []setting{
				{file: "memory.limit_in_bytes", text: bytes(l), rounded: true},
				{file: "memory.memsw.limit_in_bytes", text: bytes(l), optional: true, rounded: true},
			}
		}, oomV1},
		{Processes, "pids", "cgroup v1 pids.max", limitPIDs, refusals("cgroup v1 pids.events")},
		{CPUs, "cpu", "cgroup v1 cpu.cfs_quota_us", func(l Limits) []setting {
			return []setting{
				{file: "cpu.cfs_period_us", text: strconv.Itoa(cpuPeriod)},
				{file: "cpu.cfs_quota_us", text: strconv.FormatInt(l.quota(), 10)},
			}
		}, nil},
	}
)

func bytes(l Limits) string { return strconv.FormatInt(l.Memory, 10) }

func limitPIDs(l Limits) []setting {
	return []setting{{file: "pids.max", text: strconv.Itoa(l.Processes)}}
}

// set writes the limit and reads it back.
func (m *mechanism) set(h host, dir string, l Limits) error {
	for _, s := range m.settings(l) {
		path := filepath.Join(dir, s.file)
		err := h.Write(path, s.text)
		if s.optional && errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s could not be set (%s): ask for what the groups above allow", s.file, cause(err))
		}
		got, err := h.Read(path)
		if err != nil || !s.holds(strings.TrimSpace(got)) {
			return fmt.Errorf("%s does not hold what was set: ask for a value that the kernel takes", s.file)
		}
	}
	return nil
}

// holds compares what was read back.
func (s setting) holds(got string) bool {
	if !s.rounded {
		return got == s.text
	}
	want, err := strconv.ParseInt(s.text, 10, 64)
	is, err2 := strconv.ParseInt(got, 10, 64)
	return errors.Join(err, err2) == nil && is > 0 && is <= want && want-is < int64(os.Getpagesize())
}

// oomV2 counts processes that were killed for memory. The group's own limit was the reason only if it was reached with
// nothing to reclaim: a host or a group above that is out of memory kills, too.
func oomV2(h host, dir string) (int64, string, error) {
	const by = "cgroup v2 memory.events"
	text, err := h.Read(filepath.Join(dir, "memory.events"))
	killed, _ := keyed(text, "oom_kill")
	if own, ok := keyed(text, "oom"); ok && own == 0 {
		killed = 0
	}
	return killed, by, err
}

// oomV1 does the same, but cannot tell whose limit it was: the count of failures stays 0 on newer kernels. Those before
// 4.13 do not count the killed; there it is how often the limit was reached.
func oomV1(h host, dir string) (int64, string, error) {
	const file = "memory.oom_control"
	text, err := h.Read(filepath.Join(dir, file))
	if killed, ok := keyed(text, "oom_kill"); ok || err != nil {
		return killed, "cgroup v1 " + file, err
	}
	const older = "memory.failcnt"
	text, err = h.Read(filepath.Join(dir, older))
	if err != nil {
		return 0, "", err
	}
	reached, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return reached, "cgroup v1 " + older, err
}

// refusals counts processes that could not be started.
func refusals(by string) func(host, string) (int64, string, error) {
	return func(h host, dir string) (int64, string, error) {
		text, err := h.Read(filepath.Join(dir, "pids.events"))
		refused, _ := keyed(text, "max")
		return refused, by, err
	}
}
