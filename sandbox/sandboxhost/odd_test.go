package sandboxhost_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
)

// TestOdd starts on a directory with entries that no host made, and reports them. They stay, the sessions that they are
// in go on, and one without a readable record is left to whoever put them there.
func TestOdd(t *testing.T) {
	r := newRig(t, func(o *sandboxhost.Options) { o.KeepOnStop = true })
	state, unreadable := r.create(sandbox.Manifest{}), r.create(sandbox.Manifest{})
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	const id = "5b8f7c1e-2222-4333-8444-55555555555"
	dirs := []string{
		"007.json", id + "1/007.json", "ended/" + id + "2.json",
		state.SessionID + "/007.json", state.SessionID + "/2.json", state.SessionID + "/9223372036854775807.json", state.SessionID + "/notes",
	}
	files := []string{"7.json", id + "3", unreadable.SessionID + "/1.json.orig"}
	for _, name := range dirs {
		if err := os.MkdirAll(filepath.Join(r.dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append(files, unreadable.SessionID+"/1.json") {
		if err := os.WriteFile(filepath.Join(r.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	core, logs := observer.New(zap.WarnLevel)
	r.run(func(o *sandboxhost.Options) { o.KeepOnStop, o.Logger = true, zap.New(core) })
	if _, err := r.exec(owner, state, "true"); err != nil {
		t.Errorf("exec beside odd entries: %v", err)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	for _, name := range append(dirs, files...) {
		if _, err := os.Stat(filepath.Join(r.dir, name)); errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was removed", name)
		}
	}
	said := logs.All()
	if len(said) != 1 || said[0].ContextMap()["count"] != int64(len(dirs)+len(files)) {
		t.Errorf("said %v, want one warning about %d entries", said, len(dirs)+len(files))
	}
}
