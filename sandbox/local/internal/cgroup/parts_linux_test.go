package cgroup_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
)

var parts = map[string]func(){"allocate": allocate, "scatter": scatter, "leave": leaveGroup}

// gate waits until the test has put the process into its group.
func gate() { _, _ = bufio.NewReader(os.Stdin).ReadString('\n') }

const mib = 1 << 20

// allocate uses 256 MiB at most.
func allocate() {
	gate()
	for range 256 {
		data, err := syscall.Mmap(-1, 0, mib, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			return
		}
		for i := 0; i < len(data); i += os.Getpagesize() {
			data[i] = 1
		}
	}
}

const scattered = 50

// scatter starts processes in sessions of their own, which nothing but the group holds together.
func scatter() {
	gate()
	for range scattered {
		c := exec.Command("sleep", "120")
		c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if c.Start() != nil {
			return
		}
		fmt.Println(c.Process.Pid)
	}
	fmt.Println("ready")
	gate()
}

// leaveGroup is a worker that is killed with a process in a group of its.
func leaveGroup() {
	tree := cgroup.Find(cgroup.Options{})
	g, err := tree.New(cgroup.Limits{})
	c := exec.Command("sleep", "120")
	if err == nil && c.Start() == nil && g.Add(c.Process.Pid) == nil {
		fmt.Println(c.Process.Pid)
		for _, dir := range g.Dirs() {
			fmt.Println(dir)
		}
	}
	fmt.Println("ready")
	gate()
}
