package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"time"
)

// patience bounds the whole demo, which takes some seconds.
const patience = 2 * time.Minute

func main() {
	if code, ok := runTool(os.Args, os.Stdout, os.Stderr); ok {
		os.Exit(code)
	}
	verbose := flag.Bool("v", false, "write the workers' log to standard error")
	flag.Parse()
	os.Exit(runWithSignals(*verbose))
}

// runWithSignals stops the demo in order when it is interrupted: what it made is
// removed by what made it.
func runWithSignals(verbose bool) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o := options{}
	if verbose {
		o.log = os.Stderr
	}
	return run(ctx, os.Stdout, o)
}
