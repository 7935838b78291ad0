package sandboxhost

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// Options configure a [Host]. Only Dir is required; the zero value of every other field is safe.
type Options struct {
	// Dir is the directory of the session records, of the key of the proofs in them and of the name of the host's
	// own queue: an absolute path, which nobody else can read (mode 0700). It is made if it does not exist. The
	// host locks it, so it must be on a file system of this machine alone. A host that runs on the directory of an
	// earlier one takes its sessions over.
	Dir string
	// Audit receives a record of each call that is refused. No call waits for it, and what a slow sink cannot
	// take is dropped and logged. Run waits for it at its end, for ten seconds at most. Nil writes the records to
	// Logger.
	Audit audit.Sink
	// Logger receives what the host has to say. Nil is silence.
	Logger *zap.Logger
	// IdleTimeout ends a session that nothing used for so long. 0 means 30 minutes.
	IdleTimeout time.Duration
	// MaxLifetime ends a session so long after its creation, whatever it does. 0 means 24 hours.
	MaxLifetime time.Duration
	// PollInterval is how often the server is asked whether the owner of a session still runs, with some
	// variation, and how often an end that failed is tried again. 0 means one minute.
	PollInterval time.Duration
	// StopTimeout is how long the host waits for the end of one session, and for that of all of them when Run ends,
	// whatever the backend does. 0 means 30 seconds.
	StopTimeout time.Duration
	// MaxOutput is how many bytes of each output of a command are returned. Of a longer one the middle is left
	// out, which the output then says. 0 means 128 KiB: both outputs together stay below the 512 KiB from which on the
	// SDK warns of a payload (TMPRL1103), as they take a third more in base64. Up to 700 KiB the result stays below the
	// limit that servers have unless they are told otherwise.
	MaxOutput int
	// MaxSpool is how many bytes of an output that is longer than MaxOutput are kept in a file of the workspace,
	// from its beginning and with secrets hidden, where the backend can; the output then says where. 0 means
	// 64 MiB, less than 0 none.
	MaxSpool int64
	// MaxData is how many bytes of a file or an archive are returned; longer ones are refused, since half of one is of
	// no use. 0 means 1500 KiB, with which the result stays below the limits of the server; the SDK warns of it from
	// some 380 KiB on.
	MaxData int
	// MaxConcurrent, less ReservedSlots, is how many commands run at a time, and besides them how many starts,
	// reads, writes and archives; eight times MaxConcurrent of both may wait for their turn, and more are refused
	// for now. Of all operations but those that end something there are at most ten times MaxConcurrent, whatever
	// they wait for. 0 means 64.
	MaxConcurrent int
	// ReservedSlots is how many of these are used by neither, so that they cannot hold up what ends something.
	// 0 means 8, and at most half of MaxConcurrent.
	ReservedSlots int
	// KeepOnStop keeps workspaces and records when Run ends, for the next host that runs on Dir; processes end in
	// any case. False removes everything.
	KeepOnStop bool
}

const (
	minOutput = 1 << 10
	maxOutput = 64 << 20
)

// complete checks o and fills in what is not set.
func (o Options) complete() (Options, error) {
	var errs []error
	if !filepath.IsAbs(o.Dir) {
		errs = append(errs, errors.New("sandboxhost: Options.Dir is required and must be absolute: name a directory that belongs to this host alone"))
	}
	for _, d := range []struct {
		name  string
		value *time.Duration
		unset time.Duration
	}{
		{"IdleTimeout", &o.IdleTimeout, 30 * time.Minute},
		{"MaxLifetime", &o.MaxLifetime, 24 * time.Hour},
		{"PollInterval", &o.PollInterval, time.Minute},
		{"StopTimeout", &o.StopTimeout, 30 * time.Second},
	} {
		if *d.value == 0 {
			*d.value = d.unset
		}
		if *d.value < 0 {
			errs = append(errs, fmt.Errorf("sandboxhost: Options.%s must not be negative: sessions always end", d.name))
		}
	}
	if o.MaxSpool == 0 {
		o.MaxSpool = 64 << 20
	}
	for _, n := range []struct {
		name       string
		value      *int
		unset      int
		least, max int
	}{
		{"MaxOutput", &o.MaxOutput, 128 << 10, minOutput, maxOutput},
		{"MaxData", &o.MaxData, 1500 << 10, minOutput, maxOutput},
		{"MaxConcurrent", &o.MaxConcurrent, 64, 2, 10_000},
		{"ReservedSlots", &o.ReservedSlots, reserved(o.MaxConcurrent), 1, 10_000},
	} {
		if *n.value == 0 {
			*n.value = n.unset
		}
		if *n.value < n.least || *n.value > n.max {
			errs = append(errs, fmt.Errorf("sandboxhost: Options.%s must be between %d and %d", n.name, n.least, n.max))
		}
	}
	if o.ReservedSlots >= o.MaxConcurrent {
		errs = append(errs, errors.New("sandboxhost: Options.ReservedSlots must be smaller than MaxConcurrent: no command could run"))
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.Audit == nil {
		o.Audit = logSink{o.Logger}
	}
	return o, errors.Join(errs...)
}

// reserved is how many of so many slots are reserved if nothing else is said.
func reserved(concurrent int) int {
	if concurrent == 0 {
		return 8
	}
	return min(8, max(1, concurrent/2))
}
