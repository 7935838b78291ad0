//go:build linux

package pid1

import "golang.org/x/sys/unix"

// newCgroupNamespace hides the names of the host's control groups. It comes after the worker has put the process into
// its own, and is of this thread and what it starts.
func newCgroupNamespace(*state) error { return unix.Unshare(unix.CLONE_NEWCGROUP) }

// hostname is the name of every sandbox to itself.
const hostname = "sandbox"

// setHostname takes the name of the host away.
func setHostname(*state) error {
	if err := unix.Setdomainname([]byte("(none)")); err != nil {
		return err
	}
	return unix.Sethostname([]byte(hostname))
}

// raiseLoopback brings up the one network interface there is.
func raiseLoopback(*state) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, lo); err != nil {
		return err
	}
	lo.SetUint16(lo.Uint16() | unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo)
}
