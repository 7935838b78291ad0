package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// account is the account of the host that the commands of a sandbox run as, and that its workspace belongs to. The
// zero account is the worker's own.
type account struct{ uid, gid int }

// other reports whether it is not the worker's own.
func (a account) other() bool { return a != account{} }

// accounts is how many sandboxes can have an account each.
const accounts = 1 << 16

// ownAccounts reports whether each sandbox has an account of its own: where the worker is root its commands must not
// be, and one sandbox's must not be another's.
func (o Options) ownAccounts() bool { return o.Launcher.Isolated() && os.Geteuid() == 0 }

// accountOf returns the account of a sandbox that is there: the one that its workspace belongs to.
func (b *Backend) accountOf(id string) (account, error) {
	if !b.options.ownAccounts() {
		return account{}, nil
	}
	info, err := os.Lstat(filepath.Join(b.dir, id, workspaceName))
	if err != nil {
		return account{}, errRoot
	}
	uid := ownerOf(info)
	if uid < b.options.FirstUID || uid >= b.options.FirstUID+accounts {
		return account{}, refuse(backend.StartFailed, "the workspace of the sandbox belongs to an account that is no sandbox's: "+
			"it was made with another launcher or another Options.FirstUID")
	}
	return account{uid: uid, gid: uid}, nil
}

// freeAccount returns one that no sandbox has: the next one after the last, so that no sandbox soon has that of a deleted
// one, whose files may still be where a path grant let it write. It is called with the lock held.
func (b *Backend) freeAccount() (account, error) {
	if !b.options.ownAccounts() {
		return account{}, nil
	}
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return account{}, errors.New("local: Dir could not be read")
	}
	taken := map[int]bool{}
	for _, e := range entries {
		// Also of what is being made or removed: its files are still the account's.
		if info, err := os.Lstat(filepath.Join(b.dir, e.Name(), workspaceName)); err == nil {
			taken[ownerOf(info)] = true
		}
	}
	for range accounts {
		uid := b.options.FirstUID + b.turn
		b.turn = (b.turn + 1) % accounts
		if !taken[uid] {
			return account{uid: uid, gid: uid}, nil
		}
	}
	return account{}, failed(backend.StartFailed, "there are "+strconv.Itoa(accounts)+" sandboxes, which is as many as there are accounts for")
}

// dirMode is that of the directories that lead to workspaces. Where commands with accounts of their own use the paths of the
// host, others must be able to pass. They can list nothing there.
func (o Options) dirMode() fs.FileMode {
	if o.Launcher.inPlace() && o.ownAccounts() {
		return 0o711
	}
	return 0o700
}
