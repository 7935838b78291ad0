//go:build linux

package pid1

import "golang.org/x/sys/unix"

// enterDirectory enters the directory that the command starts in, as the account that it runs as.
func enterDirectory(s *state) error {
	if s.job.Dir == "" {
		return nil
	}
	return unix.Chdir(s.job.Dir)
}
