// Command bench measures what the plugin adds to activities on an embedded server:
//
//	go -C integration_test run ./cmd/bench [-rounds 60] [-shape sequential]
//
// Each activity gets a manifest of 50 entries and 5 references and returns 10 KB.
// Workers without the plugin, without it once more, and with it take turns in random
// order; the second worker without it shows the noise of the machine. For each shape
// the last line is the ratio of the medians. The exit code is 1 when a ratio is above
// the bar and the noise does not explain it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// What the ratio of the medians may be, and what it should be.
const (
	bar  = 1.10
	goal = 1.05
)

func main() {
	rounds := flag.Int("rounds", 60, "how many rounds to measure of each shape")
	only := flag.String("shape", "", "the shape to measure: sequential or parallel; both if empty")
	flag.Parse()
	if err := run(*rounds, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds int, only string) error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	server, err := harness.Start(ctx, harness.Options{})
	if err != nil {
		return err
	}
	defer server.Stop()
	variants, err := variants(server)
	if err != nil {
		return err
	}
	defer func() {
		for _, v := range variants {
			v.worker.Stop()
		}
	}()
	var missed []error
	for _, s := range []shape{{"sequential", 1, 40}, {"parallel", 8, 10}} {
		if only != "" && s.name != only {
			continue
		}
		times, err := s.measure(ctx, variants, rounds)
		if err != nil {
			return err
		}
		plain, again, guarded := median(times["plain"]), median(times["plain again"]), median(times["guarded"])
		ratio, noise := guarded/plain, again/plain
		verdict := "PASS"
		if ratio > bar && ratio/max(noise, 1) > bar {
			verdict = "FAIL"
			missed = append(missed, fmt.Errorf("%s: the ratio is %.3f", s.name, ratio))
		}
		fmt.Printf("%s: plain %.1f ms, guarded %.1f ms, plain/plain=%.3f\n", s.name, plain*1e3, guarded*1e3, noise)
		fmt.Printf("%s: ratio=%.3f bar=%.2f goal=%.2f rounds=%d %s\n", s.name, ratio, bar, goal, rounds, verdict)
	}
	return errors.Join(missed...)
}
