package local

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/landlock"
)

// TestExplainLandlock checks what is said where this host shows no such refusal.
func TestExplainLandlock(t *testing.T) {
	for _, c := range []struct {
		what string
		err  error
		want string
	}{
		{"landlock", landlock.ErrOld, "landlock failed: the kernel is older than Linux 6.12"},
		{"keeper", unix.EPERM, "keeper answered EPERM: a worker that is root must be able to end commands, which have other accounts: give the container the capability CAP_KILL"},
		{"account", unix.EPERM, "account answered EPERM: a worker that is root must be able to take other accounts: give the container the capabilities CAP_SETUID and CAP_SETGID"},
	} {
		if got := refusal(Landlock, c.what, c.err).Error(); !strings.Contains(got, "landlock cannot isolate on this host, nothing was run: "+c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
