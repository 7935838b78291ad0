package sandboxclient

import (
	"errors"
	"fmt"
	"time"
)

// Options are how a [Client] calls its hosts. The zero Options are usable: hosts are looked for on the workflow's own
// task queue, with the defaults named below. No timeout may be longer than 1000000h.
type Options struct {
	// Queue is the task queue on which sandboxes are made and resumed. Empty means that of the workflow. All else
	// goes to the queue that the host has named for itself, if it did.
	Queue string
	// ScheduleToStartTimeout is how long an operation waits for a host to take it. One that no host has taken is
	// tried on another host. 0 means a minute.
	ScheduleToStartTimeout time.Duration
	// StartToCloseTimeout bounds one attempt of an operation; a command has this time on top of its own, to wait
	// for its turn and to be ended. 0 means 5 minutes.
	StartToCloseTimeout time.Duration
	// HeartbeatTimeout is how long a host that carries an operation out may be silent before it counts as lost: a
	// worker that dies is noticed after this time, whatever the operation. 0 means 30 seconds. A negative one means
	// that it may be silent for ever, which hosts written in Python are; a lost worker is then noticed only after
	// StartToCloseTimeout, for a command after its own timeout on top of that.
	HeartbeatTimeout time.Duration
	// ExecTimeout is that of commands without one of their own. 0 means 10 minutes.
	ExecTimeout time.Duration
	// CleanUpTimeout bounds Stop, Shutdown and Delete, each with all its attempts. 0 means 2 minutes.
	CleanUpTimeout time.Duration
	// Attempts is how often an operation is tried whose repetition changes nothing. Commands, writes and
	// unpacking have one attempt, whatever it says. 0 means 3.
	Attempts int32
}

// maxTimeout is about a hundred years: two of them can be added.
const maxTimeout = 1_000_000 * time.Hour

// inRange reports whether a timeout is one, or asks for the default.
func inRange(timeout time.Duration) bool { return timeout >= 0 && timeout <= maxTimeout }

func (o Options) check() error {
	switch {
	case o.Attempts < 0:
		return errors.New("sandboxclient: Options.Attempts is negative: set it to 0 for its default")
	case !inRange(o.ScheduleToStartTimeout), !inRange(o.StartToCloseTimeout), !inRange(max(o.HeartbeatTimeout, 0)), !inRange(o.ExecTimeout), !inRange(o.CleanUpTimeout):
		return fmt.Errorf("sandboxclient: a timeout of the options is out of range: set it to 0, for its default, or to at most %.0fh", maxTimeout.Hours())
	}
	return nil
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		option *time.Duration
		value  time.Duration
	}{
		{&o.ScheduleToStartTimeout, time.Minute},
		{&o.StartToCloseTimeout, 5 * time.Minute},
		{&o.HeartbeatTimeout, 30 * time.Second},
		{&o.ExecTimeout, 10 * time.Minute},
		{&o.CleanUpTimeout, 2 * time.Minute},
	} {
		if *d.option == 0 {
			*d.option = d.value
		}
	}
	o.HeartbeatTimeout = max(o.HeartbeatTimeout, 0)
	if o.Attempts == 0 {
		o.Attempts = 3
	}
	return o
}
