// Perfgate measures what the guard costs, in units of the work that the SDK or an
// encrypting codec does for the same activity, and holds it to bars.
//
//	go run ./internal/perfgate [-v] [-check] [-budget 20s] [-only P1,P7] [-aa]
//
// First it asserts of all parts that the guard did its work, then it counts allocations,
// which is exact, and then, unless told to check only, it measures ratios and times. The
// last line is that of the headline. The exit code is 1 when a bar is missed, and 2 when the guard did not
// do its work.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

func main() {
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr, parts))
}

// A part measures some of the items.
type part func(*report) error

var parts = []part{attemptItems, injectItems, scanItems, buildItems, hitItems, lineItems, detectItems, manifestItems, tripItems}

// command is the program with its arguments: it returns the exit code.
func command(args []string, out, errs io.Writer, parts []part) int {
	var o options
	flags := flag.NewFlagSet("perfgate", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.BoolVar(&o.verbose, "v", false, "print a line for each item")
	flags.BoolVar(&o.check, "check", false, "assert and count only: what comes out is the same on every machine")
	flags.DurationVar(&o.budget, "budget", 20*time.Second, "how long to measure in all")
	flags.StringVar(&o.only, "only", "", "the ids to measure, such as P1,P7; all if empty")
	flags.BoolVar(&o.self, "aa", false, "measure each yardstick against itself, to see the noise of the machine")
	if flags.Parse(args) != nil {
		return 2
	}
	ok, err := run(out, o, parts)
	switch {
	case err != nil:
		_, _ = fmt.Fprintln(errs, "perfgate:", err)
		return 2
	case !ok:
		return 1
	}
	return 0
}

// options are those of the command line.
type options struct {
	verbose, self, check bool
	budget               time.Duration
	only                 string
}

// wants reports whether an id was asked for; P5 asks for P5b too.
func (o options) wants(id string) bool {
	if o.only == "" {
		return true
	}
	for want := range strings.SplitSeq(o.only, ",") {
		if id == want || strings.TrimRight(id, "abcdefghijklmnopqrstuvwxyz") == want {
			return true
		}
	}
	return false
}

// run takes all parts through one stage after the other and reports whether every bar was met.
func run(out io.Writer, o options, parts []part) (bool, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it empties pools, and what is made again would be counted
	r := &report{out: out, options: o}
	last := measuring
	if o.check {
		last = counting
	}
	for r.stage = asserting; r.stage <= last; r.stage++ {
		if r.stage == measuring {
			debug.SetGCPercent(400)
		}
		for _, part := range parts {
			if err := part(r); err != nil {
				return false, err
			}
		}
	}
	return r.end(), nil
}
