//go:build linux

package pid1

import "golang.org/x/sys/unix"

// hostname is the name of every sandbox to itself.
const hostname = "sandbox"

// setHostname takes the name of the host away.
func setHostname(*state) error {
	if err := unix.Setdomainname([]byte("(none)")); err != nil {
		return err
	}
	return unix.Sethostname([]byte(hostname))
}
