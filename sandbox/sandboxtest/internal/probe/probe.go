// Package probe is the program that the hostile battery runs in a sandbox. Each probe tries what a sandbox must not
// let anybody do, and reports what it got at. Whatever it manages to do it undoes.
package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Marker is the first argument of a process that is to be a probe. A sandbox need not pass an environment on, so
// the arguments say it.
const Marker = "sandboxguard-hostile-probe"

// Task is what a probe is told. It comes on the input, since arguments can be seen by others.
type Task struct {
	// Canary is a text that nothing which a sandbox can read may hold.
	Canary string `json:"canary"`
	// Files are paths of files on the host that hold the canary.
	Files []string `json:"files"`
	// Devices are the numbers of the file systems that the host's own system directories are on. None means that
	// they are not known.
	Devices []uint64 `json:"devices"`
	// Outside says that the account is looked at from outside. From inside it may be that of a namespace in between.
	Outside bool `json:"outside"`
	// Token is in the arguments of a process of another sandbox and of no other process.
	Token string `json:"token"`
	// Stream and Datagram are servers of the host at unix sockets, by path and by abstract name (with an @).
	Stream   []string `json:"stream"`
	Datagram []string `json:"datagram"`
	// TCP is a server of the host on its loopback interface.
	TCP string `json:"tcp"`
}

// found is what a probe got at.
type found struct {
	tries    int
	breaches []string
}

// try counts something that was tried, so that a probe that could try nothing does not count as safe.
func (f *found) try() { f.tries++ }

// breach notes what the probe got at. It must not quote what it read.
func (f *found) breach(format string, args ...any) {
	f.breaches = append(f.breaches, fmt.Sprintf(format, args...))
}

// attempt notes that what was tried succeeded if err is nil.
func (f *found) attempt(err error, what string) {
	f.try()
	if err == nil {
		f.breach("%s", what)
	}
}

// role is what the program does when it is no probe: a part that a probe or the battery needs played.
type role func(args []string, in io.Reader, out io.Writer) (code int)

// Main plays what args, those of the process without its name, ask for. It reports false if they ask for nothing.
func Main(args []string, in io.Reader, out io.Writer) (code int, is bool) {
	if len(args) < 2 || args[0] != Marker {
		return 0, false
	}
	name := args[1]
	if play, ok := roles[name]; ok {
		return play(args[2:], in, out), true
	}
	look, ok := probes[name]
	if !ok {
		return 2, true
	}
	var f found
	if looks, ok := early[name]; ok {
		looks(&f)
	}
	var task Task
	if err := json.NewDecoder(in).Decode(&task); err != nil {
		return 2, true
	}
	look(task, &f)
	if err := json.NewEncoder(out).Encode(f.report(name)); err != nil {
		return 2, true
	}
	return 0, true
}

// maxBreaches bounds the detail of a report.
const maxBreaches = 6

func (f *found) report(name string) Report {
	if f.tries == 0 {
		return Unsafe(name, "the probe could try nothing")
	}
	n := len(f.breaches)
	if n == 0 {
		return Safe(name, fmt.Sprintf("%d tries", f.tries))
	}
	detail := strings.Join(f.breaches[:min(n, maxBreaches)], "; ")
	if n > maxBreaches {
		detail += fmt.Sprintf("; and %d more", n-maxBreaches)
	}
	return Unsafe(name, detail)
}
