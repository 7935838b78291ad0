//go:build linux

package pid1

import (
	"runtime"
	"sync"
)

// keeperThreads are more than a keeper ever needs at once beside the one that it is on: for each of its few goroutines that may
// be in the kernel, and for those of the runtime.
const keeperThreads = 10

// makeThreads has the runtime make threads that it keeps, so that it makes none later. It ends the process where it cannot make
// one, and a command can use up all the processes that the host or its container allows: then nobody would end that command.
func makeThreads() {
	runtime.GOMAXPROCS(1) // it would want one for each processor, too
	var made, used sync.WaitGroup
	made.Add(keeperThreads)
	enough := make(chan struct{})
	for range keeperThreads {
		used.Go(func() {
			runtime.LockOSThread() // the others need threads of their own
			defer runtime.UnlockOSThread()
			made.Done()
			<-enough
		})
	}
	made.Wait()
	close(enough)
	used.Wait()
}
