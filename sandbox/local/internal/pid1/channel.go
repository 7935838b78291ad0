//go:build linux

package pid1

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// maxMessage is more than arguments and variables can have.
const maxMessage = 16 << 20

var errMessage = errors.New("pid1: what came over the socket is no message")

// A Channel carries messages between the worker and the first process. Its methods are not for use by several
// goroutines, but one may send while another receives.
type Channel struct {
	conn  *net.UnixConn
	files []*os.File // that came with messages
	peer  int
}

// NewChannel returns the channel over a socket. It takes the file over.
func NewChannel(f *os.File) (*Channel, error) {
	conn, err := net.FileConn(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	u, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errMessage, conn.Close())
	}
	return &Channel{conn: u}, nil
}

// Identify lets [Channel.Sender] know who sends what is received from now on.
func (c *Channel) Identify() error {
	raw, err := c.conn.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PASSCRED, 1) })
	return errors.Join(err, failed)
}

// Sender is the process that sent what was received last, in the numbers of the one that received it. It is 0 before
// [Channel.Identify].
func (c *Channel) Sender() int { return c.peer }

// Send sends a message, with a file unless it is nil.
func (c *Channel) Send(message any, file *os.File) error {
	var body bytes.Buffer
	// Not as JSON: arguments and variables are bytes, and need not be UTF-8.
	if err := gob.NewEncoder(&body).Encode(message); err != nil {
		return err
	}
	if body.Len() > maxMessage {
		return errMessage
	}
	var rights []byte
	if file != nil {
		rights = unix.UnixRights(int(file.Fd()))
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(body.Len())) //nolint:gosec // bounded above
	n, _, err := c.conn.WriteMsgUnix(head, rights, nil)
	if err == nil && n < len(head) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return err
	}
	_, err = body.WriteTo(c.conn)
	return err
}

// Receive receives a message.
func (c *Channel) Receive(message any) error {
	var head [4]byte
	for n := 0; n < len(head); {
		var rights [64]byte
		got, oob, _, _, err := c.conn.ReadMsgUnix(head[n:], rights[:])
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
	if _, err := io.ReadFull(c.conn, body); err != nil {
		return err
	}
	return gob.NewDecoder(bytes.NewReader(body)).Decode(message)
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
func (c *Channel) End() error { return c.conn.CloseWrite() }

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
	err := c.conn.Close()
	for f := c.File(); f != nil; f = c.File() {
		err = errors.Join(err, f.Close())
	}
	return err
}
