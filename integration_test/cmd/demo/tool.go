package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// toolName is the name that makes the demo the job's own program.
const toolName = "reports"

// runTool is that program. ok is false when the demo was called by another name.
func runTool(args []string, stdout, stderr io.Writer) (code int, ok bool) {
	if len(args) == 0 || filepath.Base(args[0]) != toolName {
		return 0, false
	}
	if err := tool(args[1:], stdout, stderr); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", toolName, err)
		return 1, true
	}
	return 0, true
}

func tool(args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	verbose := flags.Bool("verbose", false, "print the headers of requests (fetch)")
	rules := flags.String("rules", "analysis.json", "file of the tolerances (analyse)")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch {
	case args[0] == "fetch" && flags.NArg() == 2:
		trace := io.Discard
		if *verbose {
			trace = stderr
		}
		return fetch(flags.Arg(0), flags.Arg(1), trace)
	case args[0] == "analyse" && flags.NArg() == 2:
		return analyse(stdout, *rules, flags.Arg(0), flags.Arg(1))
	}
	return errUsage
}

// linkTool makes a directory in which the demo itself is found under the name
// of the job's program, so that commands need neither a shell nor a path.
func linkTool(dir string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	return os.Symlink(program, filepath.Join(dir, toolName))
}
