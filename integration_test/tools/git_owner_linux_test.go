package tools

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestGitOwners checks that all of a repository belongs to the account of its sandbox, which is not that of the worker
// where the worker is root.
func TestGitOwners(t *testing.T) {
	r := newRemote(t)
	s, dir := newSandbox(t, repoEntry("main", ""), func(o *local.Options) { o.Launcher, o.GitURL = local.Native, r.url })
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	top, err := os.Stat(filepath.Join(dir, "workspace"))
	if err != nil {
		t.Fatal(err)
	}
	uid := int(top.Sys().(*syscall.Stat_t).Uid)
	if own := os.Geteuid(); own != 0 && uid != own || own == 0 && uid < local.DefaultFirstUID {
		t.Errorf("the workspace belongs to %d, the worker is %d", uid, own)
	}
	found := 0
	err = filepath.WalkDir(filepath.Join(dir, "workspace", "repo"), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		found++
		info, err := d.Info()
		if err == nil && int(info.Sys().(*syscall.Stat_t).Uid) != uid {
			t.Errorf("%s belongs to %d, want %d", d.Name(), info.Sys().(*syscall.Stat_t).Uid, uid)
		}
		return err
	})
	if err != nil || found < 10 {
		t.Errorf("%d files and directories, %v: the test shows nothing", found, err)
	}
}
