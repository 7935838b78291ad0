package local_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// openDir makes a directory that every account can reach and change.
func openDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(dir, 0o777), os.Chmod(filepath.Dir(dir), 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestGrantBehindLink checks that a command which may change a granted directory cannot turn a grant below it into one of
// something else.
func TestGrantBehindLink(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Bubblewrap} {
		t.Run(l.String(), func(t *testing.T) {
			if refused(t, l) {
				return
			}
			data, other := openDir(t), openDir(t)
			if err := errors.Join(
				os.Mkdir(filepath.Join(data, "sub"), 0o777), os.WriteFile(filepath.Join(other, "secret"), []byte("of the host\n"), 0o644),
			); err != nil {
				t.Fatal(err)
			}
			b := newBackend(t, func(o *local.Options) {
				o.Launcher, o.Paths = l, []local.Path{{Path: "/srv/data", Source: data, Writable: true}}
			})
			first := started(t, b, sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data"}}})
			s := startedAs(t, b, otherID, sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data/sub", ReadOnly: true}}})
			sh(t, s, "ls /srv/data/sub")
			sh(t, first, "mv /srv/data/sub /srv/data/was; ln -s "+other+" /srv/data/sub")
			got := new(bytes.Buffer)
			_, err := s.Exec(t.Context(), backend.Command{Args: []string{"cat", "/srv/data/sub/secret"}, Stdout: got})
			if backend.CodeOf(err) != backend.ExecTransport || got.Len() > 0 {
				t.Errorf("the command read %q, %v", got, err)
			}
		})
	}
}

// TestGrantInsideAnother checks that a link in a granted directory does not have a grant that lies in it put over something
// else of the sandbox.
func TestGrantInsideAnother(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Bubblewrap} {
		t.Run(l.String(), func(t *testing.T) {
			if refused(t, l) {
				return
			}
			data, tools := openDir(t), openDir(t)
			b := newBackend(t, func(o *local.Options) {
				o.Launcher, o.Paths = l, []local.Path{{Path: "/srv/data/in/bin", Source: tools}, {Path: "/srv/data", Source: data, Writable: true}}
			})
			first := started(t, b, sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data"}}})
			s := startedAs(t, b, otherID, sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{
				{Path: "/srv/data", ReadOnly: true}, {Path: "/srv/data/in/bin", ReadOnly: true},
			}})
			sh(t, first, "mkdir -m 777 /srv/data/in /srv/data/in/bin; touch /srv/data/in/bin/under")
			if got := sh(t, s, "ls /srv/data/in/bin; echo done"); got != "done\n" {
				t.Errorf("not in its place: %q", got)
			}
			for _, to := range []string{"../../usr", "/usr", "/newroot/usr", "/oldroot/usr", "/proc/self/root/usr"} {
				sh(t, first, "rm -fr /srv/data/in; ln -s "+to+" /srv/data/in")
				var out bytes.Buffer
				_, err := s.Exec(t.Context(), backend.Command{Args: []string{"/bin/sh", "-c", "ls /usr/bin"}, Stdout: &out})
				if backend.CodeOf(err) != backend.ExecTransport || out.Len() > 0 {
					t.Errorf("%s: the command ran, %v:\n%s", to, err, out.String())
				}
			}
		})
	}
}
