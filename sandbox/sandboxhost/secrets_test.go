package sandboxhost_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// withToken is a manifest with a secret.
func withToken() sandbox.Manifest {
	return sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"TOKEN": sandbox.EnvSecret(secrets.Env("PROD_TOKEN"))}}}
}

func (r *rig) exec(w who, state sandbox.SessionState, command string) (operation.ExecResult, error) {
	return call[operation.ExecResult](r, w, operation.Exec, operation.ExecArgs{State: state, Command: []string{command}})
}

// TestSecret gives a command a value, and hides it in what comes back, however the output is cut into pieces. Neither
// arguments nor records on disk hold it.
func TestSecret(t *testing.T) {
	token := secretstest.Canary(t)
	b := newBinder(t, map[string]string{"env:PROD_TOKEN": token})
	r := newRig(t, func(o *sandboxhost.Options) { o.MaxOutput = 1024 })
	state := r.create(withToken())
	r.fake.Handle("leak", func(_ context.Context, cmd backend.Command) int {
		_, value, _ := strings.Cut(cmd.Env[0], "=")
		filler := strings.Repeat("x", 500)
		for _, c := range []byte(filler + " " + value + " " + filler + filler + " " + value) { // also across the cut
			_, _ = cmd.Stdout.Write([]byte{c})
		}
		_, _ = cmd.Stderr.Write([]byte(value))
		return 0
	})
	w := owner
	w.binder = b
	for _, command := range []string{"printenv TOKEN", "leak"} {
		out, err := r.exec(w, state, command)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(out.Stdout); !strings.Contains(got, "[redacted:env:PROD_TOKEN]") && command != "leak" || !strings.Contains(string(out.Stdout)+string(out.Stderr), "[redacted") {
			t.Errorf("%s: %q", command, got)
		}
		if command == "leak" && !strings.Contains(string(out.Stdout), " bytes left out") {
			t.Errorf("nothing says that the output was cut: %q", out.Stdout)
		}
		secretstest.AssertAbsent(t, []string{token}, out.Stdout, out.Stderr, []byte(strings.Join(r.fake.Effects(), "\n")))
	}
	var disk [][]byte
	_ = filepath.WalkDir(r.dir, func(path string, d os.DirEntry, _ error) error {
		if !d.IsDir() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			disk = append(disk, []byte(path), data)
		}
		return nil
	})
	secretstest.AssertAbsent(t, []string{token}, disk...)
	if !strings.Contains(fmt.Sprintf("%s", disk), "PROD_TOKEN") {
		t.Error("the record does not name what was given")
	}
}

// TestNoSecret shows that a secret which is unset, revoked or not granted fails what needs it, and nothing else.
func TestNoSecret(t *testing.T) {
	r := newRig(t)
	state := r.create(withToken())
	before := len(r.fake.Effects())
	b := newBinder(t, nil)
	w := owner
	w.binder = b
	if _, err := r.exec(w, state, "true"); errorType(err) != "TemporalWorkerEnvValueUnresolved" {
		t.Errorf("exec: %v", err)
	}
	b.outage = true
	again := w
	again.activity = "outage"
	if _, err := r.exec(again, state, "true"); final(err) || errorType(err) != "sandboxguard.SecretUnavailable" {
		t.Errorf("exec in an outage: %v", err)
	}
	b.outage = false
	b.put("env:PROD_TOKEN", secretstest.Canary(t))
	if _, err := r.exec(again, state, "true"); err != nil {
		t.Errorf("the next attempt: %v", err)
	}
	b.put("env:PROD_TOKEN", "")
	b.did()
	if _, err := r.exec(owner, state, "true"); errorType(err) != "sandboxguard.NoGuard" {
		t.Errorf("exec without a guard: %v", err)
	}
	for _, name := range []operation.Name{operation.Stop, operation.Shut, operation.Delete} {
		if _, err := call[any](r, w, name, operation.StopArgs{State: state}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := b.did(); got != "" {
		t.Errorf("what ends a session asked for secrets: %s", got)
	}
	if ids, _ := r.fake.Left(); len(ids) > 0 || len(r.fake.Effects()) != before+4 { // one of them the command
		t.Errorf("left %v, effects %q", ids, r.fake.Effects())
	}
}

// TestFiles hides secrets in files that are texts, and withholds what it cannot edit.
func TestFiles(t *testing.T) {
	token := secretstest.Canary(t)
	b := newBinder(t, map[string]string{"env:PROD_TOKEN": token})
	r := newRig(t, func(o *sandboxhost.Options) { o.MaxData = 8 << 10 })
	state := r.create(withToken())
	w := owner
	w.binder = b
	if _, err := r.exec(w, state, "true"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, data string
		want, err  string
	}{
		{"text", "a " + token + " b\n", "a [redacted:env:PROD_TOKEN] b\n", ""},
		{"binary", "a\x00" + token, "", operation.OutputWithheld},
		{"latin 1", "\xe4 " + token, "", operation.OutputWithheld},
		{"clean binary", "a\x00\xff", "a\x00\xff", ""},
		{"empty", "", "", ""},
		{"too long", strings.Repeat("x", 9<<10), "", "workspace_archive_read_error"},
	} {
		if _, err := call[any](r, w, operation.Write, operation.WriteArgs{State: state, Path: "f", Data: []byte(c.data)}); err != nil {
			t.Fatal(err)
		}
		out, err := call[operation.DataResult](r, w, operation.Read, operation.ReadArgs{State: state, Path: "f"})
		if string(out.Data) != c.want || errorType(err) != c.err || err != nil && !final(err) {
			t.Errorf("%s: %q, %v", c.name, out.Data, err)
		}
		archive, err := call[operation.DataResult](r, w, operation.Persist, operation.StateArgs{State: state})
		wantErr := c.err
		if c.name == "text" {
			wantErr = operation.OutputWithheld
		}
		if errorType(err) != wantErr || (err == nil) != (len(archive.Data) > 0) {
			t.Errorf("persist, %s: %d bytes, %v", c.name, len(archive.Data), err)
		}
	}
	if _, err := call[operation.DataResult](r, owner, operation.Read, operation.ReadArgs{State: state, Path: "f"}); errorType(err) != operation.OutputWithheld {
		t.Errorf("read without a guard, after a secret was given: %v", err)
	}
}

// TestLongerHidden refuses a file that is too long only because names stand for secrets in it.
func TestLongerHidden(t *testing.T) {
	token := secretstest.Canary(t)[:12]
	r := newRig(t, func(o *sandboxhost.Options) { o.MaxData = 8 << 10 })
	state := r.create(withToken())
	w := owner
	w.binder = newBinder(t, map[string]string{"env:PROD_TOKEN": token})
	if _, err := r.exec(w, state, "true"); err != nil {
		t.Fatal(err)
	}
	for lines, want := range map[int]string{300: "", 600: "workspace_archive_read_error"} {
		if _, err := call[any](r, w, operation.Write, operation.WriteArgs{State: state, Path: "f", Data: []byte(strings.Repeat(token+"\n", lines))}); err != nil {
			t.Fatal(err)
		}
		out, err := call[operation.DataResult](r, w, operation.Read, operation.ReadArgs{State: state, Path: "f"})
		if errorType(err) != want || strings.Count(string(out.Data), "[redacted:env:PROD_TOKEN]") != lines && want == "" {
			t.Errorf("%d lines: %d bytes, %v", lines, len(out.Data), err)
		}
	}
}

// TestRestart hides what another process gave the session, before anything comes out.
func TestRestart(t *testing.T) {
	old, token := secretstest.Canary(t), secretstest.Canary(t)
	r := newRig(t)
	state := r.create(sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
		"TOKEN": sandbox.EnvSecret(secrets.From(secrets.Ref{Provider: "vault", Name: "kv/app", Field: "token"})),
	}}})
	w := owner
	first := newBinder(t, map[string]string{"vault:kv/app#token": old})
	first.version = "1"
	w.binder = first
	if _, err := call[any](r, w, operation.Write, operation.WriteArgs{State: state, Path: "f", Data: []byte(old)}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.exec(w, state, "true"); err != nil {
		t.Fatal(err)
	}

	r.restart()
	b := newBinder(t, map[string]string{"vault:kv/app#token": token})
	w.binder = b
	read := func() (string, error) {
		out, err := call[operation.DataResult](r, w, operation.Read, operation.ReadArgs{State: state, Path: "f"})
		return string(out.Data), err
	}
	if got, err := read(); errorType(err) != operation.OutputWithheld || got != "" {
		t.Errorf("read what cannot be hidden: %q, %v", got, err)
	}
	before := len(r.fake.Effects())
	if _, err := r.exec(w, state, "cat f"); errorType(err) != operation.OutputWithheld || !operation.IsUnbegun(err) || len(r.fake.Effects()) != before {
		t.Errorf("exec whose output cannot be hidden: %v, effects %q", err, r.fake.Effects()[before:])
	}
	b.outage = true
	if got, err := read(); final(err) || err == nil || got != "" {
		t.Errorf("read in an outage: %q, %v", got, err)
	}
	b.outage = false
	b.put("vault:kv/app#token@1", old)
	b.did()
	if got, err := read(); err != nil || got != "[redacted:vault:kv/app#token@1]" {
		t.Errorf("read: %q, %v", got, err)
	}
	if got, err := read(); err != nil || got != "[redacted:vault:kv/app#token@1]" {
		t.Errorf("read again: %q, %v", got, err)
	}
	if got := b.did(); got != "hide vault:kv/app#token@1" {
		t.Errorf("asked for %q, want the earlier version once", got)
	}
}
