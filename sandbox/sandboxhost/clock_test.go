package sandboxhost_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
)

// TestWrongClock ends a session in time whose record tells times to come, as after a clock was set back.
func TestWrongClock(t *testing.T) {
	future := regexp.MustCompile(`"20[0-9]{2}-`)
	for name, w := range map[string]struct {
		idle, age time.Duration
	}{"idle": {time.Hour, 72 * time.Hour}, "age": {72 * time.Hour, time.Hour}} {
		synctest.Test(t, func(t *testing.T) {
			change := func(o *sandboxhost.Options) { o.IdleTimeout, o.MaxLifetime, o.KeepOnStop = w.idle, w.age, true }
			r := newRig(t, change)
			state := r.create(sandbox.Manifest{})
			if err := r.stop(); err != nil {
				t.Fatal(err)
			}
			record := filepath.Join(r.dir, state.SessionID, "1.json")
			data, err := os.ReadFile(record)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(record, future.ReplaceAll(data, []byte(`"2099-`)), 0o600); err != nil {
				t.Fatal(err)
			}
			r.run(change)
			<-time.After(time.Hour - time.Second)
			if !r.left() {
				t.Errorf("%s: ended too early", name)
			}
			<-time.After(2 * time.Second)
			synctest.Wait()
			r.nothingLeft()
			if err := r.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
