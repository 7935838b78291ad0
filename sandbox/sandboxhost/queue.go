package sandboxhost

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

const queueFile = "queue"

var errQueueFile = errors.New("sandboxhost: the file \"" + queueFile + "\" in Options.Dir holds no name: remove it, the host makes another one")

// ownQueue is the name of the host's own task queue. It is random, so that nobody guesses it, and the same for all
// hosts that ever run on the directory: what callers were told reaches their sessions also after a restart.
func (h *Host) ownQueue() (string, error) {
	name, err := h.store.queue()
	if err != nil {
		return "", err
	}
	return h.provider + "-host-" + name, nil
}

// queue returns the random part of the name, which is made once.
func (s store) queue() (string, error) {
	data, err := s.once(queueFile, func() []byte { return []byte(uuid.NewString()) })
	if err != nil {
		return "", err
	}
	if !isUUID(string(data)) {
		return "", errQueueFile
	}
	return string(data), nil
}

// isUUID reports whether a text is a UUID in the one form that this package writes.
func isUUID(text string) bool {
	u, err := uuid.Parse(text)
	return err == nil && u.String() == text
}

// once returns what a file of the directory holds. Who comes first makes it, for all hosts to come.
func (s store) once(name string, fresh func() []byte) ([]byte, error) {
	file := filepath.Join(s.dir, name)
	data, err := os.ReadFile(file) //nolint:gosec // in the directory of records
	if errors.Is(err, fs.ErrNotExist) {
		// A link fails if another host was faster, whose data hold then.
		if err := put(file, fresh(), os.Link); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		data, err = os.ReadFile(file) //nolint:gosec // as above
	}
	if err != nil {
		return nil, storeError("read", err)
	}
	return data, nil
}
