package sandboxhost

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

const (
	endedDir = "ended"
	// maxEnded bounds the ended sessions that are remembered, so that ending one again succeeds for its owner, also
	// after a restart.
	maxEnded = 4096
)

// lastOf is what is kept of a record when its session has ended: whose it was.
func lastOf(r record) record {
	r.Manifest, r.Digest, r.Options, r.Given = sandbox.Manifest{}, "", nil, nil
	r.Used = time.Now()
	return r
}

func (s store) endedFile(id string) string { return filepath.Join(s.dir, endedDir, id+suffix) }

// noteEnd keeps the last of a session. A failure costs the owner no more than a second success after a restart.
func (s store) noteEnd(r record) error {
	data, err := encode(r)
	if err != nil {
		return err
	}
	return put(s.endedFile(r.ID), data, os.Rename)
}

// forgetEnd forgets an ended session, too.
func (s store) forgetEnd(id string) error {
	if err := os.Remove(s.endedFile(id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storeError("written", err)
	}
	return nil
}

// ends returns the ended sessions, the oldest first, and how many entries are odd, which are left alone. Unreadable
// files are forgotten.
func (s store) ends() (records []record, odd int, err error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, endedDir))
	if err != nil {
		return nil, 0, storeError("read", err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			odd++
			continue
		}
		id, ok := strings.CutSuffix(e.Name(), suffix)
		data, err := os.ReadFile(filepath.Join(s.dir, endedDir, e.Name()))
		if err != nil {
			return nil, 0, storeError("read", err)
		}
		r, good := decodeRecord(data, id)
		if !ok || !good {
			_ = os.Remove(filepath.Join(s.dir, endedDir, e.Name())) // or what a write that was cut short left behind
			continue
		}
		records = append(records, r)
	}
	slices.SortFunc(records, func(a, b record) int {
		return cmp.Or(a.Used.Compare(b.Used), strings.Compare(a.ID, b.ID))
	})
	return records, odd, nil
}

// remember takes over what earlier hosts on the directory ended.
func (h *Host) remember() (odd int, err error) {
	records, odd, err := h.store.ends()
	if err != nil {
		return 0, err
	}
	for _, r := range records {
		s := h.newSession(r)
		s.life = gone
		h.forget(s, true)
	}
	return odd, nil
}

// forget drops a session of which nothing is left here. The owner of one that ended may end it again.
func (h *Host) forget(s *session, ended bool) {
	s.unkeep()
	if oldest := h.drop(s, ended); oldest != "" {
		if err := h.store.forgetEnd(oldest); err != nil {
			h.options.Logger.Warn("ended session not forgotten", logged(oldest, err)...)
		}
	}
}

// drop does that in memory and returns the id of the ended session that is too many, empty if there is none.
func (h *Host) drop(s *session, ended bool) (oldest string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := s.id
	if h.sessions[id] == s {
		delete(h.sessions, id)
	}
	if !ended || h.ended[id] != nil {
		return ""
	}
	if len(h.order) >= maxEnded {
		oldest = h.order[0]
		delete(h.ended, oldest)
		h.order = h.order[1:]
	}
	h.ended[id] = s
	h.order = append(h.order, id)
	return oldest
}

// noteEnd notes that the session has ended, before its record is removed: in between it has both, and ends again.
func (s *session) noteEnd() {
	s.mu.Lock()
	r := lastOf(s.rec)
	s.mu.Unlock()
	if err := s.h.store.noteEnd(r); err != nil {
		s.h.options.Logger.Warn("end of a session not noted, its owner cannot end it again after a restart", logged(s.id, err)...)
	}
}
