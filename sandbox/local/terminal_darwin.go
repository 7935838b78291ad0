package local

import "os"

// pollable returns the master as it is: the system's kqueue does not know terminals. Who waits for a deadline waits for
// the last process at the terminal instead.
func pollable(master *os.File) *os.File { return master }
