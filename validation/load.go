package validation

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// LoadPolicies reads the policy file at path. A file that is not in order gives a
// [*FileError] with every problem; one that cannot be read gives an error that
// wraps the system's, without the directory. An empty path is an error.
func LoadPolicies(path string) (*Policies, error) {
	src, err := readPolicyFile(path)
	if err != nil {
		return nil, err
	}
	return ParsePolicies(filepath.Base(path), src)
}

// readPolicyFile reads at most one byte more than a policy file may have, which
// the parser then refuses.
func readPolicyFile(path string) ([]byte, error) {
	if path == "" {
		return nil, errors.New(`validation: no policy file was named: pass its path, such as "policy.yaml"`)
	}
	name := filepath.Base(path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, readError(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("validation: policy file %s not read: must be a regular file", name)
	}
	f, err := os.Open(path) //nolint:gosec // G304: the operator names the file
	if err != nil {
		return nil, readError(name, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	src, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return nil, readError(name, err)
	}
	return src, nil
}

// pathlessError is an error of the file system without the path.
type pathlessError struct {
	text string
	err  error
}

func (e *pathlessError) Error() string { return e.text }
func (e *pathlessError) Unwrap() error { return e.err }

// readError leaves out the directory, which is nobody's business but the host's.
// The errors that it wraps, such as fs.ErrNotExist, hold no path.
func readError(name string, err error) error {
	for inner := err; inner != nil; {
		err = inner
		u, ok := inner.(interface{ Unwrap() error })
		if !ok {
			break
		}
		inner = u.Unwrap()
	}
	return &pathlessError{text: "validation: policy file " + name + " not read: " + err.Error(), err: err}
}
