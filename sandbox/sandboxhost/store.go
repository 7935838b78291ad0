package sandboxhost

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/dirlock"
)

// A store keeps the records, in a directory for each session:
//
//	<id>/<epoch>.json    the record
//	<id>/runs/<name>     a command that was about to start, empty
//	ended/<id>.json      a session that has ended: whose it was
//	queue                the name of the host's own task queue
//	.lock                what keeps other hosts out
//	key                  of the proofs in records, which are worth nothing without it
//
// A host claims a session by making the file of the next epoch, which succeeds for one of several, and removes the
// earlier one. Whoever writes the file of an earlier epoch then finds a higher one beside it, before it acts. So a
// host that was taken for dead does nothing any more, also where the lock of the directory is worth nothing.
type store struct{ dir string }

var (
	errSuperseded = errors.New("sandboxhost: another host has the session")
	errForeign    = errors.New("sandboxhost: Options.Dir holds what is not a host's: give the host a directory of its own, not that of its backend")
	errDir        = errors.New("sandboxhost: Options.Dir must be a directory that only its owner can use: set its mode to 0700")
)

const (
	runsDir   = "runs"
	temporary = ".tmp-"
	suffix    = ".json"
	maxEpoch  = 1 << 30 // beyond what a session can come to, and far from where numbers end
)

func openStore(dir string) (store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return store{}, storeError("made", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return store{}, storeError("read", err)
	}
	if !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return store{}, errDir
	}
	if err := os.MkdirAll(filepath.Join(dir, endedDir), 0o700); err != nil {
		return store{}, storeError("made", err)
	}
	return store{dir}, nil
}

// storeError says what failed without the path.
func storeError(what string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &diskError{what, err}
}

// diskError is a failure of the directory of records.
type diskError struct {
	what string
	err  error
}

func (e *diskError) Error() string {
	return "sandboxhost: the directory of records cannot be " + e.what + ": " + e.err.Error()
}

func (e *diskError) Unwrap() error { return e.err }

func (s store) session(id string) string { return filepath.Join(s.dir, id) }

func (s store) file(id string, epoch int) string {
	return filepath.Join(s.session(id), strconv.Itoa(epoch)+suffix)
}

// A find is what load found besides the records.
type find struct {
	unreadable int // records that nobody can read, which were removed
	odd        int // entries that are not the host's, which were left alone
}

// load reads all records. Those that nobody can read, which no write of this package leaves behind, are removed unless
// something else is beside them: the session has no owner.
func (s store) load() (records []record, found find, err error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, found, storeError("read", err)
	}
	for _, e := range entries {
		id := e.Name()
		if !isUUID(id) || !e.IsDir() {
			if !slices.Contains(ownNames, id) && !strings.HasPrefix(id, temporary) {
				found.odd++
			}
			continue
		}
		in, err := s.look(id)
		if err != nil {
			return nil, found, err
		}
		found.odd += in.odd + in.foreign
		r, ok, err := s.readEpoch(id, in.epoch)
		switch {
		case err != nil:
			return nil, found, err
		case ok:
			records = append(records, r)
		case in.foreign > 0 && in.own == 0:
			return nil, found, errForeign
		case in.odd+in.foreign > 0: // whoever put it there is to look at it first
		default:
			found.unreadable++
			if err := s.remove(id); err != nil {
				return nil, found, err
			}
		}
	}
	return records, found, nil
}

// ownNames are what the directory holds besides sessions.
var ownNames = []string{endedDir, queueFile, keyFile, dirlock.Name}

// A content is what the directory of a session holds.
type content struct {
	epoch int // the highest, 0 if there is no record
	last  int // the highest number, also of what only looks like a record

	own     int // entries that this package writes
	odd     int // entries that look like records and are none
	foreign int // others
}

// look looks into the directory of a session, which need not exist.
func (s store) look(id string) (in content, err error) {
	entries, err := os.ReadDir(s.session(id))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return in, nil
	}
	if err != nil {
		return in, storeError("read", err)
	}
	for _, e := range entries {
		n, isName := epochIn(e.Name())
		in.last = max(in.last, n)
		switch {
		case isName && e.Type().IsRegular():
			in.own++
			in.epoch = max(in.epoch, n)
		case e.Name() == runsDir, strings.HasPrefix(e.Name(), temporary):
			in.own++
		case strings.HasSuffix(e.Name(), suffix):
			in.odd++
		default:
			in.foreign++
		}
	}
	return in, nil
}

// epochIn reads the number in what looks like the name of a record, 0 if there is none. isName tells whether it is one.
func epochIn(file string) (n int, isName bool) {
	number, ok := strings.CutSuffix(file, suffix)
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n <= 0 || n >= maxEpoch {
		return 0, false
	}
	return n, strconv.Itoa(n) == number
}

// read reads the record of the highest epoch. It is not ok if there is none.
func (s store) read(id string) (r record, ok bool, err error) {
	epoch, err := s.epoch(id)
	if err != nil {
		return record{}, false, err
	}
	return s.readEpoch(id, epoch)
}

func (s store) readEpoch(id string, epoch int) (r record, ok bool, err error) {
	if epoch == 0 {
		return record{}, false, nil
	}
	data, err := os.ReadFile(s.file(id, epoch))
	if err != nil {
		return record{}, false, storeError("read", err)
	}
	if r, ok = decodeRecord(data, id); !ok || r.Epoch != epoch {
		return record{}, false, nil
	}
	return r, true, nil
}

// decodeRecord is not ok unless data is the record of that session.
func decodeRecord(data []byte, id string) (r record, ok bool) {
	ok = json.Unmarshal(data, &r) == nil && r.ID == id
	now := time.Now()
	r.Created, r.Used = past(r.Created, now), past(r.Used, now)
	return r, ok
}

// past is a time that is not in the future. The clock of an earlier host may have been wrong, or a later one was set back
// since: no session lasts longer for it.
func past(t, now time.Time) time.Time {
	return now.Add(-max(0, now.Sub(t))) // counted by now's clock, which nobody sets
}

// epoch returns the highest epoch of a session, 0 if it has no record.
func (s store) epoch(id string) (int, error) {
	in, err := s.look(id)
	return in.epoch, err
}

// holds reports whether an epoch is still the highest.
func (s store) holds(r record) (bool, error) {
	epoch, err := s.epoch(r.ID)
	return epoch == r.Epoch, err
}

// create writes the first record of a session.
func (s store) create(r record) error {
	if err := os.MkdirAll(filepath.Join(s.session(r.ID), runsDir), 0o700); err != nil {
		return storeError("written", err)
	}
	if err := s.save(r); err != nil {
		return err
	}
	syncDir(s.dir)
	return nil
}

// save writes the record of the epoch that it has.
func (s store) save(r record) error {
	return s.write(r, os.Rename)
}

// claim makes the record of the next epoch and removes the others. The error is errSuperseded if another host was
// faster.
func (s store) claim(r record) (record, error) {
	in, err := s.look(r.ID)
	switch {
	case err != nil:
		return r, err
	case in.epoch > r.Epoch:
		return r, errSuperseded
	}
	next := r
	next.Epoch = max(r.Epoch, in.last) + 1 // beyond what stands in the place of a record
	err = s.write(next, os.Link)
	if errors.Is(err, fs.ErrExist) {
		return r, errSuperseded
	}
	if err != nil {
		return r, err
	}
	_ = os.Remove(s.file(r.ID, r.Epoch)) // a lower epoch beside a higher one means nothing
	return next, nil
}

// write puts a record in its place by rename or link, whole or not at all.
func (s store) write(r record, place func(from, to string) error) error {
	data, err := encode(r)
	if err != nil {
		return err
	}
	err = put(s.file(r.ID, r.Epoch), data, place)
	if errors.Is(err, errNoDir) {
		return errSuperseded // another host ended the session
	}
	return err
}

func encode(r record) ([]byte, error) {
	data, err := json.Marshal(r)
	if err != nil {
		return nil, errors.New("sandboxhost: the record of a session has no JSON form: report it as a defect of the module")
	}
	return data, nil
}

// errNoDir is returned for a file whose directory is gone.
var errNoDir = errors.New("sandboxhost: the directory of a file is gone")

// put makes a file by rename or link, whole or not at all.
func put(name string, data []byte, place func(from, to string) error) error {
	dir := filepath.Dir(name)
	f, err := os.CreateTemp(dir, temporary+"*") // mode 0600
	if errors.Is(err, fs.ErrNotExist) {
		return errNoDir
	}
	if err != nil {
		return storeError("written", err)
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return storeError("written", err)
	}
	if err := place(f.Name(), name); err != nil {
		return storeError("written", err)
	}
	syncDir(dir)
	return nil
}

func (s store) run(id, name string) string { return filepath.Join(s.session(id), runsDir, name) }

// begun reports whether a command was about to start before.
func (s store) begun(id, name string) (bool, error) {
	_, err := os.Stat(s.run(id, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, storeError("read", err)
	}
	return true, nil
}

// begin notes that a command is about to start. It is not first if that was noted before.
func (s store) begin(id, name string) (first bool, err error) {
	f, err := os.OpenFile(s.run(id, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, storeError("written", err)
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return false, storeError("written", err)
	}
	syncDir(filepath.Join(s.session(id), runsDir))
	return true, nil
}

// undo takes back what begin noted, for a command that did not start.
func (s store) undo(id, name string) error {
	if err := os.Remove(s.run(id, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeError("written", err)
	}
	return nil
}

// remove forgets a session.
func (s store) remove(id string) error {
	if err := os.RemoveAll(s.session(id)); err != nil {
		return storeError("written", err)
	}
	syncDir(s.dir)
	return nil
}

// syncDir makes the entries of a directory last. Not all systems can do that for a directory, and none needs it when
// only the process ends.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil { //nolint:gosec // below the directory of records
		_ = d.Sync()
		_ = d.Close()
	}
}
