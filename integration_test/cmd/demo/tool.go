package main

import (
	"errors"
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
	case args[0] == "look" && flags.NArg() == 2:
		return look(stdout, flags.Arg(0), flags.Arg(1))
	}
	return errUsage
}

// putTool makes a directory in which the demo itself is found under the name of
// the job's program, so that commands need neither a shell nor a path. It is a
// file and no symbolic link, which would lead out of a sandbox, and it can be
// executed by everyone, since a sandbox has an account of its own.
func putTool(dir string) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o755)); err != nil {
		return err
	}
	tool := filepath.Join(dir, toolName)
	if info, err := os.Stat(program); err == nil && info.Mode()&0o005 == 0o005 && os.Link(program, tool) == nil {
		return nil
	}
	from, err := os.Open(program)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(tool, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Chmod(0o755), to.Close())
}
