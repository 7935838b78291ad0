package main

import (
	"errors"
	"flag"
	"runtime"

	"github.com/sandboxguard/sandboxguard/internal/connect"
	"github.com/sandboxguard/sandboxguard/internal/scan"
	"github.com/sandboxguard/sandboxguard/internal/scan/live"
	"github.com/sandboxguard/sandboxguard/internal/scan/output"
)

// scanFlags are the flags of "scan".
type scanFlags struct {
	format     output.Format
	allow      bool
	workers    int
	query      query
	schedules  bool
	activities bool
	server     *connect.Server
	codec      *connect.Codec
}

// A query is a visibility query. An empty one that was given finds every workflow.
type query struct {
	text string
	set  bool
}

// Set implements flag.Value.
func (q *query) Set(s string) error {
	q.text, q.set = s, true
	return nil
}

// String implements flag.Value.
func (q *query) String() string { return q.text }

// errNothing keeps an empty pipe from passing for a clean history.
var errNothing = errors.New("there was nothing to scan: give exported histories as JSON, in files or on standard input, or --query")

// defineScan defines "scan".
func defineScan(flags *flag.FlagSet) func(*invocation) int {
	f := &scanFlags{format: output.FormatText}
	flags.Var(&f.format, "output", "`FORMAT` of the report: text, json or sarif")
	flags.BoolVar(&f.allow, "allow-unscanned", false, "do not fail because encrypted or externally stored payloads were not looked into")
	flags.IntVar(&f.workers, "workers", 0, "how many files or workflows to read at a time, `N` (default one a processor; 8 workflows)")
	flags.Var(&f.query, "query", "scan a namespace: the workflows that a visibility `QUERY` finds, '' for all")
	flags.BoolVar(&f.schedules, "schedules", true, "with --query, scan the schedules of the namespace, too")
	flags.BoolVar(&f.activities, "activities", true, "with --query, scan the activities without a workflow, too")
	f.server = connect.Flags(flags)
	f.codec = connect.CodecFlags(flags, f.server)
	return func(i *invocation) int {
		s := scan.New()
		codec, err := f.codec.PayloadCodec(i.ctx)
		if err != nil {
			return i.fail("%v", err)
		}
		s.Decode(codec)
		switch {
		case f.query.set && len(i.args) > 0:
			return i.fail("name either files or --query")
		case f.query.set:
			if code := i.scanLive(s, f); code != exitOK {
				return code
			}
		case len(i.args) == 0, len(i.args) == 1 && i.args[0] == "-":
			_ = s.Stream(i.ctx, i.stdin) // the scan has the problem
		default:
			s.Files(i.ctx, i.args, workers(f.workers, runtime.GOMAXPROCS(0)))
		}
		if r := s.Report(); !f.query.set && r.Scanned.Documents == 0 && len(r.Problems) == 0 {
			s.Problem("", errNothing)
		}
		r := s.Report()
		if err := output.Write(i.stdout, f.format, r); err != nil {
			return i.fail("%v", err)
		}
		return scanned(r, f.allow)
	}
}

func workers(asked, otherwise int) int {
	if asked > 0 {
		return asked
	}
	return otherwise
}

// scanLive scans a namespace.
func (i *invocation) scanLive(s *scan.Scan, f *scanFlags) int {
	c, o, err := f.server.Dial(i.ctx)
	if err != nil {
		return i.fail("no connection: %v", err)
	}
	defer c.Close()
	const atATime = 8
	live.Scan(i.ctx, s, c, live.Options{
		Namespace: o.Namespace, Query: f.query.text, Schedules: f.schedules, Activities: f.activities,
		Workers: workers(f.workers, atATime), Progress: i.stderr,
	})
	return exitOK
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
