// Perfgate measures what the guard costs, in units of the work that the SDK or an
// encrypting codec does for the same activity, and holds it to bars.
//
//	go run ./internal/perfgate [-v] [-budget 20s] [-only P1,P7] [-aa]
//
// First it asserts that the guard did its work, then it counts allocations, which is
// exact, and then it measures ratios. The last line is that of the headline. The exit
// code is 1 when a bar is missed.
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
	var o options
	flag.BoolVar(&o.verbose, "v", false, "print a line for each item")
	flag.DurationVar(&o.budget, "budget", 20*time.Second, "how long to measure in all")
	flag.StringVar(&o.only, "only", "", "the ids to measure, such as P1,P7; all if empty")
	flag.BoolVar(&o.self, "aa", false, "measure each yardstick against itself, to see the noise of the machine")
	flag.Parse()
	debug.SetGCPercent(400)
	ok, err := run(os.Stdout, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "perfgate:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// options are those of the command line.
type options struct {
	verbose, self bool
	budget        time.Duration
	only          string
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

// run measures everything and reports whether every bar was met.
func run(out io.Writer, o options) (bool, error) {
	r := &report{out: out, options: o}
	parts := []func(*report) error{attemptItems, injectItems, scanItems, buildItems, hitItems, lineItems, detectItems, manifestItems, tripItems}
	for _, part := range parts {
		if err := part(r); err != nil {
			return false, err
		}
	}
	return r.end(), nil
}
