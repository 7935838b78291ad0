package main

import (
	"flag"
	"runtime"

	"github.com/sandboxguard/sandboxguard/internal/scan"
	"github.com/sandboxguard/sandboxguard/internal/scan/output"
)

// defineScan defines "scan".
func defineScan(flags *flag.FlagSet) func(*invocation) int {
	format := output.FormatText
	flags.Var(&format, "output", "`FORMAT` of the report: text, json or sarif")
	allow := flags.Bool("allow-unscanned", false, "exit with 0 when only encrypted or externally stored payloads were not looked into")
	workers := flags.Int("workers", 0, "how many files or workflows to read at a time, `N` (default one a processor)")
	return func(i *invocation) int {
		s := scan.New()
		if *workers <= 0 {
			*workers = runtime.GOMAXPROCS(0)
		}
		switch {
		case len(i.args) == 0, len(i.args) == 1 && i.args[0] == "-":
			_ = s.Documents("", scan.Interruptible(i.ctx, i.stdin)) // the report says so
		default:
			s.Files(i.ctx, i.args, *workers)
		}
		r := s.Report()
		if err := output.Write(i.stdout, format, r); err != nil {
			return i.fail("%v", err)
		}
		return scanned(r, *allow)
	}
}

// scanned is the exit code of a report. That something was left out matters more
// than that something was found: who reads the code alone must not take the report
// for the whole.
func scanned(r scan.Report, allowUnscanned bool) int {
	switch {
	case !r.Complete && (!allowUnscanned || len(r.Problems) > 0):
		return exitPartial
	case len(r.Credentials) > 0:
		return exitFound
	}
	return exitOK
}
