//go:build linux

package pid1

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// maxMessage is more than arguments and variables can have.
const maxMessage = 16 << 20

// ErrTooLong is the error of a message that was not sent since the other side would not take it.
var ErrTooLong = errors.New("pid1: the message is too long")

var errMessage = errors.New("pid1: what came over the socket is no message")

// A Channel carries messages between the worker and a process of its program. Its methods are not for use by several
// goroutines, but one may send while another receives.
type Channel struct {
	socket *os.File
	files  []*os.File // that came with messages
	peer   int
}

// NewChannel returns the channel over a socket. It takes the file over. It is not one of package net, which is initialised
// after most others, and so would the first process be.
func NewChannel(f *os.File) (*Channel, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, true); err != nil { // so that Close ends who receives
		return nil, errors.Join(err, unix.Close(fd))
	}
	return &Channel{socket: os.NewFile(uintptr(fd), "channel")}, nil
}

// control does something with the socket.
func (c *Channel) control(do func(fd int) error) error {
	raw, err := c.socket.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = do(int(fd)) })
	return errors.Join(err, failed)
}

// Identify lets [Channel.Sender] know who sends what is received from now on.
func (c *Channel) Identify() error {
	return c.control(func(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PASSCRED, 1) })
}

// Sender is the process that sent what was received last, in the numbers of the one that received it. It is 0 before
// [Channel.Identify].
func (c *Channel) Sender() int { return c.peer }

// Send sends a message, with files.
func (c *Channel) Send(message any, files ...*os.File) error {
	var body bytes.Buffer
	// Not as JSON: arguments and variables are bytes, and need not be UTF-8.
	if err := gob.NewEncoder(&body).Encode(message); err != nil {
		return err
	}
	if body.Len() > maxMessage {
		return ErrTooLong
	}
	var rights []byte
	if len(files) > 0 {
		var fds []int
		for _, f := range files {
			fds = append(fds, int(f.Fd()))
		}
		rights = unix.UnixRights(fds...)
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(body.Len())) //nolint:gosec // bounded above
	if err := c.send(head, rights); err != nil {
		return err
	}
	_, err := body.WriteTo(c.socket)
	return err
}

func (c *Channel) send(head, rights []byte) error {
	raw, err := c.socket.SyscallConn()
	if err != nil {
		return err
	}
	var n int
	var failed error
	err = raw.Write(func(fd uintptr) (done bool) {
		n, done, failed = tried(func() (int, error) { return unix.SendmsgN(int(fd), head, rights, nil, unix.MSG_NOSIGNAL) })
		return done
	})
	if err = errors.Join(err, failed); err == nil && n < len(head) {
		err = io.ErrShortWrite
	}
	return err
}

// tried reports whether a call need not be made again once the socket is ready.
func tried(call func() (int, error)) (n int, done bool, err error) {
	for {
		n, err = call()
		if !errors.Is(err, unix.EINTR) {
			return n, !errors.Is(err, unix.EAGAIN), err
		}
	}
}

// Receive receives a message.
func (c *Channel) Receive(message any) error {
	var head [4]byte
	for n := 0; n < len(head); {
		var rights [64]byte
		got, oob, err := c.receive(head[n:], rights[:])
		if err != nil {
			return err
		}
		if err := c.keep(rights[:oob]); err != nil {
			return err
		}
		if got == 0 {
			return io.EOF
		}
		n += got
	}
	size := binary.BigEndian.Uint32(head[:])
	if size > maxMessage {
		return errMessage
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.socket, body); err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(body)).Decode(message)
}

func (c *Channel) receive(head, rights []byte) (n, oob int, err error) {
	raw, err := c.socket.SyscallConn()
	if err != nil {
		return 0, 0, err
	}
	var failed error
	err = raw.Read(func(fd uintptr) (done bool) {
		n, done, failed = tried(func() (got int, err error) {
			var flags int
			got, oob, flags, _, err = unix.Recvmsg(int(fd), head, rights, unix.MSG_CMSG_CLOEXEC)
			if err == nil && flags&unix.MSG_CTRUNC != 0 {
				err = unix.EMFILE // a file that came is lost
			}
			return got, err
		})
		return done
	})
	return n, oob, errors.Join(err, failed)
}

func (c *Channel) keep(rights []byte) error {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return err
	}
	for _, m := range messages {
		if m.Header.Type == unix.SCM_CREDENTIALS {
			from, err := unix.ParseUnixCredentials(&m)
			if err != nil {
				return err
			}
			c.peer = int(from.Pid)
			continue
		}
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			return err
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			c.files = append(c.files, os.NewFile(uintptr(fd), ""))
		}
	}
	return nil
}

// End tells the other side that nothing more will be sent. A first process ends then.
func (c *Channel) End() error {
	return c.control(func(fd int) error { return unix.Shutdown(fd, unix.SHUT_WR) })
}

// File returns a file that came with a message, or nil.
func (c *Channel) File() *os.File {
	if len(c.files) == 0 {
		return nil
	}
	f := c.files[0]
	c.files = c.files[1:]
	return f
}

// Close closes the channel and the files that nobody took.
func (c *Channel) Close() error {
	err := c.socket.Close()
	for f := c.File(); f != nil; f = c.File() {
		err = errors.Join(err, f.Close())
	}
	return err
}
