package probe

import (
	"fmt"
	"net"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// sockets tries to reach what is outside of the sandbox's own network.
func sockets(t Task, f *found) {
	for _, s := range []struct {
		name                 string
		family, kind, number int
	}{
		{"the hypervisor (AF_VSOCK)", unix.AF_VSOCK, unix.SOCK_STREAM, 0},
		{"raw frames (AF_PACKET)", unix.AF_PACKET, unix.SOCK_RAW, 0},
		{"raw packets (SOCK_RAW)", unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP},
		{"the kernel's ciphers (AF_ALG)", unix.AF_ALG, unix.SOCK_SEQPACKET, 0},
		{"audit (AF_NETLINK)", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT},
		{"events of devices (AF_NETLINK)", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT},
		{"the packet filter (AF_NETLINK)", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER},
		{"generic (AF_NETLINK)", unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_GENERIC},
	} {
		fd, err := unix.Socket(s.family, s.kind|unix.SOCK_CLOEXEC, s.number)
		f.attempt(err, "a socket to "+s.name)
		if err == nil {
			_ = unix.Close(fd)
		}
	}
	for _, name := range t.Stream {
		f.dial("unix", name, "a server of the host at "+kindOf(name))
	}
	f.dial("tcp", t.TCP, "a server of the host on its loopback")
	f.connect(t.Datagram)
}

func (f *found) dial(network, address, what string) {
	const patience = 5 * time.Second
	conn, err := net.DialTimeout(network, address, patience)
	f.attempt(err, what)
	if err == nil {
		_ = conn.Close()
	}
}

// kindOf says what kind of address that of a unix socket is, and not which.
func kindOf(name string) string {
	if strings.HasPrefix(name, "@") {
		return "an abstract address"
	}
	return "a path"
}

// connect tries to send one end of a pair of sockets to a server of the host: such an end needs no call of socket,
// which may be refused, and a datagram socket can be connected again.
func (f *found) connect(servers []string) {
	for _, kind := range []int{unix.SOCK_DGRAM, unix.SOCK_SEQPACKET} {
		pair, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
		f.try()
		if err != nil {
			continue
		}
		for _, name := range servers {
			if unix.Connect(pair[0], &unix.SockaddrUnix{Name: name}) == nil {
				f.breach("one of a pair of sockets can be connected to %s", kindOf(name))
			}
		}
		_ = unix.Close(pair[0])
		_ = unix.Close(pair[1])
	}
}

// reconnect is what a pair of datagram sockets must not do, and that a pair of streams still works: programs talk to
// their children with it.
func reconnect(t Task, f *found) {
	f.connect(t.Datagram)
	if err := stream(); err != nil {
		f.breach("a pair of stream sockets does not work: %v", err)
	}
}

func stream() error {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(pair[0]) //nolint:errcheck // nothing is lost
	defer unix.Close(pair[1]) //nolint:errcheck // nothing is lost
	if _, err := unix.Write(pair[0], []byte{1}); err != nil {
		return err
	}
	if n, err := unix.Read(pair[1], make([]byte, 1)); err != nil || n != 1 {
		return fmt.Errorf("%d bytes came: %w", n, err)
	}
	return nil
}
