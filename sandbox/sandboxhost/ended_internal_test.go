package sandboxhost

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestEndedBounded keeps the latest of the sessions that ended, and forgets what nobody can read.
func TestEndedBounded(t *testing.T) {
	o := Options{Dir: filepath.Join(t.TempDir(), "a")}
	disk, err := openStore(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(o.Dir, endedDir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const over = 3
	var ids []string
	for n := range maxEnded + over {
		id := uuid.NewString()
		data, err := encode(record{ID: id, Used: time.Unix(int64(n), 0)})
		if err != nil {
			t.Fatal(err)
		}
		write(id+suffix, data)
		ids = append(ids, id)
	}
	write("x"+suffix, []byte("{"))
	write(temporary+"1", nil)
	h, err := New("local", sandboxtest.NewFake(), o)
	if err != nil {
		t.Fatal(err)
	}
	left, _, err := disk.ends()
	if err != nil || len(left) != maxEnded || len(h.ended) != maxEnded || left[0].ID != ids[over] {
		t.Errorf("%d on disk, %d in memory, %v", len(left), len(h.ended), err)
	}
	if h.find(ids[over-1], true) != nil || h.find(ids[over], true) == nil || h.find(ids[over], false) != nil {
		t.Error("the wrong sessions are remembered")
	}
	if files, err := os.ReadDir(filepath.Join(o.Dir, endedDir)); err != nil || len(files) != maxEnded {
		t.Errorf("%d files, %v", len(files), err)
	}
}
