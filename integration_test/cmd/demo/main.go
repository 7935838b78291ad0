package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// patience bounds the whole demo, which takes some seconds.
const patience = 2 * time.Minute

func main() {
	local.Init()
	if code, ok := runTool(os.Args, os.Stdout, os.Stderr); ok {
		os.Exit(code)
	}
	var o options
	flag.BoolFunc("v", "write the workers' log to standard error", func(string) error {
		o.log = os.Stderr
		return nil
	})
	flag.Func("launcher", "what runs the job's analysis: native, bwrap or unisolated (default native)", func(name string) (err error) {
		o.launcher, err = launcherOf(name)
		return err
	})
	flag.Parse()
	os.Exit(runWithSignals(o))
}

// runWithSignals stops the demo in order when it is interrupted: what it made is
// removed by what made it.
func runWithSignals(o options) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return run(ctx, os.Stdout, o)
}
