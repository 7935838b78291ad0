package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// The exit codes of every command.
const (
	exitOK      = 0 // done, and nothing was found
	exitFound   = 1 // done, and something was found: credentials, problems, mismatches
	exitPartial = 2 // not done, or not all of it: wrong usage, unreadable input, no server
)

// An invocation is one run of a command.
type invocation struct {
	ctx            context.Context //nolint:containedctx // it lives as long as the call
	stdin          io.Reader
	stdout, stderr io.Writer
	flags          *flag.FlagSet
	args           []string // what is no flag
}

// A command is what one can ask for.
type command struct {
	name, synopsis, about string
	// define adds the flags, and returns what runs once they are parsed.
	define func(*flag.FlagSet) func(*invocation) int
}

// commands lists every command.
func commands() []command {
	return []command{
		{"scan", "[FILE|DIRECTORY|-]... [--query QUERY]", "find credentials in exported histories or a live namespace", defineScan},
		{"policy check", "FILE... [--within 14d]", "check policy files, and which reviews are due", defineCheck},
		{"policy test", "FILE --cases CASES", "try a policy file on examples of calls", defineTest},
		{"policy explain", "FILE --queue QUEUE [--activity TYPE]", "say what a policy file means for a queue", defineExplain},
		{"doctor", "[--policy FILE]", "look whether policy, secrets, server and launchers are in order here", defineDoctor},
	}
}

// run is the program. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) < len(words) || strings.Join(args[:len(words)], " ") != c.name {
			continue
		}
		return c.run(ctx, args[len(words):], stdin, stdout, stderr)
	}
	if len(args) == 1 && (args[0] == "help" || args[0] == "-h" || args[0] == "--help") {
		usage(stdout)
		return exitOK
	}
	usage(stderr)
	return exitPartial
}

func usage(w io.Writer) {
	_, _ = fmt.Fprintln(w, "usage: sandboxguard COMMAND ...")
	for _, c := range commands() {
		_, _ = fmt.Fprintf(w, "  %-16s%s\n", c.name, c.about)
	}
	_, _ = fmt.Fprintln(w, "sandboxguard COMMAND -h shows the flags of a command")
}

func (c command) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	do := c.define(flags)
	rest, err := parse(flags, args)
	help := func(w io.Writer) {
		_, _ = fmt.Fprintf(w, "usage: sandboxguard %s %s\n\n%s\n\n", c.name, c.synopsis, c.about)
		flags.SetOutput(w)
		flags.PrintDefaults()
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		help(stdout)
		return exitOK
	case err != nil:
		_, _ = fmt.Fprintf(stderr, "sandboxguard %s: %v\n\n", c.name, err)
		help(stderr)
		return exitPartial
	}
	return do(&invocation{ctx: ctx, stdin: stdin, stdout: stdout, stderr: stderr, flags: flags, args: rest})
}

// parse takes flags and other arguments in any order, up to "--".
func parse(flags *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		left := flags.Args()
		if len(left) == 0 {
			return rest, nil
		}
		if n := len(args) - len(left); n > 0 && args[n-1] == "--" {
			return append(rest, left...), nil
		}
		rest = append(rest, left[0])
		args = left[1:]
	}
}

// fail says why the command could not do what it was asked for.
func (i *invocation) fail(format string, args ...any) int {
	_, _ = fmt.Fprintf(i.stderr, "sandboxguard %s: %s\n", i.flags.Name(), fmt.Sprintf(format, args...))
	return exitPartial
}

// say writes to the output, whose errors there is nobody left to tell.
func (i *invocation) say(format string, args ...any) { _, _ = fmt.Fprintf(i.stdout, format, args...) }
