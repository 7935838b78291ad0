package sandboxhost

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// proverOf returns the prover of hosts on a directory.
func proverOf(t *testing.T, dir string) prover {
	t.Helper()
	disk, err := openStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := disk.prover()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestProof has proofs tell one value from another, and nothing to whoever compares them across references, sessions or
// hosts.
func TestProof(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	here, there := proverOf(t, dir), proverOf(t, filepath.Join(t.TempDir(), "b"))
	token, other := bind.Given{Ref: secrets.EnvRef("TOKEN")}, bind.Given{Ref: secrets.EnvRef("OTHER")}
	first := here.grant("s-1", token, "hunter2")
	if again := proverOf(t, dir).grant("s-1", token, "hunter2"); again != first {
		t.Errorf("%+v and %+v of one value on one directory", first, again)
	}
	for name, differs := range map[string]grant{
		"another value":                     here.grant("s-1", token, "hunter3"),
		"another session":                   here.grant("s-2", token, "hunter2"),
		"another reference":                 here.grant("s-1", other, "hunter2"),
		"another host":                      there.grant("s-1", token, "hunter2"),
		"parts that are cut in another way": here.grant("s-1e", bind.Given{Ref: secrets.Ref{Provider: "nv", Name: "TOKEN"}}, "hunter2"),
	} {
		if differs.Proof == first.Proof || len(differs.Proof) != len(first.Proof) {
			t.Errorf("%s: proof %s, want another than %s", name, differs.Proof, first.Proof)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, keyFile)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("file of the key: %v, %v", info, err)
	}
}

// TestKeyUnreadable makes no proofs with a key that the host did not make.
func TestKeyUnreadable(t *testing.T) {
	disk, err := openStore(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(disk.dir, keyFile), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.prover(); !errors.Is(err, errKeyFile) || strings.Contains(err.Error(), disk.dir) {
		t.Errorf("error = %v", err)
	}
}
