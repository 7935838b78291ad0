package cgroup

import (
	"strconv"
	"strings"
)

// keyed finds a number in a file of lines "key number".
func keyed(text, key string) (int64, bool) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) == 2 && f[0] == key {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n, err == nil && n >= 0
		}
	}
	return 0, false
}

// pids reads cgroup.procs. Processes of other namespaces are 0 there, and are left out.
func pids(text string) []int {
	var found []int
	for line := range strings.Lines(text) {
		if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && pid > 0 {
			found = append(found, pid)
		}
	}
	return found
}
