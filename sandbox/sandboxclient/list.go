package sandboxclient

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Kind is what a [DirEntry] is.
type Kind string

// The kinds of entries. KindOther is for devices, sockets and pipes.
const (
	KindFile    Kind = "file"
	KindDir     Kind = "directory"
	KindSymlink Kind = "symlink"
	KindOther   Kind = "other"
)

// DirEntry is one entry of a directory, as ls -la prints it.
type DirEntry struct {
	// Path is the absolute path, with the name as its last element.
	Path string
	// Kind is what it is.
	Kind Kind
	// Permissions are the first column, such as -rw-r--r--.
	Permissions string
	// Owner and Group are names, or numbers where there are none.
	Owner, Group string
	// Size is in bytes. It is 0 for a device.
	Size int64
	// Target is where a symbolic link leads. Empty for all others.
	Target string
}

// parseList reads the output of ls -la for one path. For a file ls prints the path that it was given, which a host may
// have written in another way than dir.
func parseList(dir, out string) ([]DirEntry, error) {
	var entries []DirEntry
	number := 0
	for line := range strings.Lines(out) {
		number++
		line = strings.TrimSuffix(line, "\n")
		if number == 1 && strings.HasPrefix(line, "total ") {
			continue
		}
		e, name, ok := parseLine(line)
		itself := strings.Contains(name, "/")
		if !ok || itself && line+"\n" != out && line != out {
			return nil, &Error{
				Op: "list", Code: backend.ExecNonzero,
				message: fmt.Sprintf("line %d of what ls has printed is no entry: a name with a line break in it, or times in the format of another locale", number),
			}
		}
		if name == "." || name == ".." {
			continue
		}
		if e.Path = path.Join(dir, name); itself {
			e.Path = dir
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// parseLine reads one line: permissions, links, owner, group, size, month, day, time or year, name. A device has two
// numbers in the place of a size. One space stands before the name, which may begin with more of them.
func parseLine(line string) (e DirEntry, name string, ok bool) {
	var columns [8]string
	for i := range columns {
		line = strings.TrimLeft(line, " ")
		columns[i], line, ok = strings.Cut(line, " ")
		if ok && i == 4 && strings.HasSuffix(columns[i], ",") {
			_, line, ok = strings.Cut(strings.TrimLeft(line, " "), " ")
			columns[i] = "0"
		}
		if !ok {
			return e, "", false
		}
	}
	size, err := strconv.ParseInt(columns[4], 10, 64)
	if err != nil || len(columns[0]) < 10 || !isNumber(columns[1]) || !isNumber(columns[6]) || !isNumber(strings.Replace(columns[7], ":", "", 1)) {
		return e, "", false
	}
	e = DirEntry{Kind: KindOther, Permissions: columns[0], Owner: columns[2], Group: columns[3], Size: size}
	switch e.Permissions[0] {
	case '-':
		e.Kind = KindFile
	case 'd':
		e.Kind = KindDir
	case 'l':
		e.Kind = KindSymlink
		line, e.Target, ok = strings.Cut(line, " -> ")
		ok = ok && !strings.Contains(e.Target, " -> ") // where the name ends cannot be told
	}
	return e, line, ok && line != ""
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
