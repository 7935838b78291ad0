package pid1_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// starting is the command line of a bwrap that a stage became.
var starting = regexp.MustCompile(`^bwrap\x00--args\x00(0|[1-9][0-9]{0,9})\x00--\x00/proc/self/fd/4\x00$`)

// FuzzStarting reads the command lines of processes, which are ended if they are that of such a bwrap: no other line is
// taken for one, and that of each descriptor is.
func FuzzStarting(f *testing.F) {
	f.Add("bwrap\x00--args\x0018\x00--\x00/proc/self/fd/4\x00", uint16(18))
	f.Add("bwrap\x00--args\x00--\x00/proc/self/fd/4\x00", uint16(0))
	f.Add("bwrap\x00--args\x0018\x00--bind\x00/\x00/\x00--\x00/proc/self/fd/4\x00", uint16(5))
	f.Add("bwrap\x00--args\x00-1\x00--\x00/proc/self/fd/4\x00", uint16(1<<15))
	f.Add("", uint16(7))
	f.Fuzz(func(t *testing.T, line string, fd uint16) {
		if pid1.Starting(line) && !starting.MatchString(line) {
			t.Errorf("%q was taken for one", line)
		}
		if own := "bwrap\x00--args\x00" + strconv.Itoa(int(fd)) + "\x00--\x00/proc/self/fd/4\x00"; !pid1.Starting(own) {
			t.Errorf("%q was not", own)
		}
	})
}
