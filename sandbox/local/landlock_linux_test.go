package local_test

import (
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func TestLandlockFirst(t *testing.T) {
	if refused(t, local.Landlock) {
		return
	}
	b := newBackend(t, func(o *local.Options) { o.Launcher = local.Landlock })
	s := started(t, b, sandbox.Manifest{})
	t.Log(sh(t, s, "id; pwd; echo $TMPDIR; echo hi > a; cat a; ls / ; ls -la; cat /proc/self/status | head -3; grep -i cap /proc/$$/status"))
}
