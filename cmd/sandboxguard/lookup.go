package main

import (
	"os"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// files is the directory of a file provider; nil is none.
type files struct{ root *os.Root }

// openFiles opens a directory, or nothing when it has no name.
func openFiles(directory string) (*files, error) {
	if directory == "" {
		return nil, nil
	}
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	return &files{root}, nil
}

func (f *files) close() {
	if f != nil {
		_ = f.root.Close() // it was only looked at
	}
}

// lookUp says in words why a reference cannot be resolved here, or "". It sees
// whether contents are there and not what they are: providers hand those out to
// the guard only.
func lookUp(ref secrets.Ref, f *files) string {
	switch {
	case ref.Template():
		return "has placeholders, which each run fills"
	case ref.Provider == "env":
		value, set := os.LookupEnv(ref.Name)
		return sized(set, "is not set", len(value))
	case ref.Provider == "file" && f != nil:
		info, err := f.root.Stat(ref.Name)
		if err != nil {
			return "there is no such file below the directory"
		}
		if !info.Mode().IsRegular() {
			return "is not a regular file"
		}
		return sized(true, "", int(min(info.Size(), 2*secrets.MaxValueSize)))
	case ref.Provider == "file":
		return "cannot be looked for without --secrets-dir"
	}
	return "cannot be looked for here: provider " + ref.Provider + " is the worker's own"
}

func sized(there bool, missing string, size int) string {
	switch {
	case !there:
		return missing
	case size == 0:
		return "is empty"
	case size > secrets.MaxValueSize:
		return "is larger than 64 KiB"
	}
	return ""
}
