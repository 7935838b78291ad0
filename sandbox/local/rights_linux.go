package local

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// as does f with the rights to files that commands of the account have, and no more: those of its user and group, and
// none that come with a capability. What f makes belongs to the account. All of f is to happen on the thread it is called
// on.
func (a account) as(f func()) error {
	done := make(chan error, 1)
	go func() {
		// Not unlocked: the thread ends here, so nothing else ever runs with these rights.
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the main thread does not end
			defer runtime.UnlockOSThread()
			done <- a.as(f)
			return
		}
		err := a.take()
		if err == nil {
			f()
		}
		done <- err
	}()
	return <-done
}

// take gives the thread the rights of the account. A thread on which it failed must not be used.
func (a account) take() error {
	if a.other() {
		// Not those of package syscall, which change all threads.
		if _, _, errno := unix.RawSyscall(unix.SYS_SETGROUPS, 0, 0, 0); errno != 0 {
			return errRights
		}
		_, _ = unix.SetfsgidRetGid(a.gid)
		_, _ = unix.SetfsuidRetUid(a.uid)
		// The calls do not say whether they did it. An id that is none changes nothing, and tells which it is.
		gid, _ := unix.SetfsgidRetGid(-1)
		uid, _ := unix.SetfsuidRetUid(-1)
		if gid != a.gid || uid != a.uid {
			return errRights
		}
	}
	var none [2]unix.CapUserData
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return errRights
	}
	return nil
}
