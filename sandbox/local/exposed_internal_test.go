package local

import (
	"strings"
	"testing"
)

// TestApart checks that the workspaces of all sandboxes are not in what each of them sees.
func TestApart(t *testing.T) {
	for dir, apart := range map[string]bool{
		"/usr": false, "/usr/src/app/sandboxes": false, "/etc/sandboxes": false, "/lib64/x": false,
		"/usrs": true, "/var/lib/sandboxes": true, "/srv/usr": true,
	} {
		err := Options{}.checkApart(dir)
		if apart && err != nil || !apart && (err == nil || !strings.HasPrefix(err.Error(), "local: Dir must not be in /usr, /etc ")) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
