package seccomp

import (
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	parts["x32"] = func() report {
		if err := install(Options{}); err != nil {
			return report{"install": err.Error()}
		}
		got := report{}
		got.add("getpid", attempt(1<<30|unix.SYS_GETPID, 0)())
		return got
	}
	parts["run"] = func() report {
		if err := install(Options{}); err != nil {
			return report{"install": err.Error()}
		}
		got := report{}
		got.add("exec", unix.Exec(os.Args[1], os.Args[1:2], nil))
		return got
	}
}

// death returns the signal that ended a command, or 0.
func death(t *testing.T, cmd *exec.Cmd) syscall.Signal {
	t.Helper()
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		if err != nil {
			t.Fatal(err)
		}
		return 0
	}
	if state, ok := exit.Sys().(syscall.WaitStatus); ok && state.Signaled() {
		return state.Signal()
	}
	return 0
}

func TestX32EndsTheProcess(t *testing.T) {
	if Available() != nil {
		expect(t, "x32", nil)
		return
	}
	if got := death(t, child(t, "x32")); got != syscall.SIGSYS {
		t.Errorf("the process ended by signal %d, want SIGSYS", got)
	}
}

// A 64-bit program may use the 32-bit interface at any time.
func TestI386EndsTheProcess(t *testing.T) {
	if Available() != nil {
		expect(t, "run", nil)
		return
	}
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, executable(
		0xb8, 20, 0, 0, 0, // mov eax, getpid of i386
		0xcd, 0x80, // int 0x80
		0xb8, 60, 0, 0, 0, // mov eax, exit of amd64
		0x31, 0xff, // xor edi, edi
		0x0f, 0x05, // syscall
	), 0o700); err != nil {
		t.Fatal(err)
	}
	want := syscall.SIGSYS
	if without := death(t, exec.CommandContext(t.Context(), program)); without != 0 {
		want = without // a kernel without that interface ends the program itself
	}
	if got := death(t, child(t, "run", program)); got != want {
		t.Errorf("the process ended by signal %d, want %d", got, want)
	}
}

// executable is the smallest ELF file with this code.
func executable(code ...byte) []byte {
	const base, headers = 0x400000, 64 + 56
	size := uint64(headers + len(code))
	file := []byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	order := binary.LittleEndian
	for _, v := range []uint16{2, 62} { // an executable for amd64
		file = order.AppendUint16(file, v)
	}
	file = order.AppendUint32(file, 1)
	for _, v := range []uint64{base + headers, 64, 0} { // entry, program headers, section headers
		file = order.AppendUint64(file, v)
	}
	file = order.AppendUint32(file, 0)
	for _, v := range []uint16{64, 56, 1, 0, 0, 0} {
		file = order.AppendUint16(file, v)
	}
	for _, v := range []uint32{1, 5} { // one segment, loaded to be read and run
		file = order.AppendUint32(file, v)
	}
	for _, v := range []uint64{0, base, base, size, size, 0x1000} {
		file = order.AppendUint64(file, v)
	}
	return append(file, code...)
}
