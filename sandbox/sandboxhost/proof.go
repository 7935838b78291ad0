package sandboxhost

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/sandboxguard/sandboxguard/internal/bind"
)

const (
	keyFile   = "key"
	keyLength = 32
)

var errKeyFile = errors.New("sandboxhost: the file \"" + keyFile + "\" in Options.Dir holds no key: remove it, the host makes another one, and sessions that were given secrets before put nothing out any more")

// A grant is what is kept of a value that a session was given: names, and a proof.
type grant struct {
	bind.Given
	// Proof is of the value, so that the host can tell later whether what it resolves by the names is the same. A
	// provider without versions returns the present value, which cannot hide an earlier one.
	Proof string `json:"proof,omitempty"`
}

// A prover makes proofs. They tell nothing without its key, which lies apart from the records, and those of one value
// differ between sessions and hosts.
type prover struct{ key []byte }

// grant returns what is kept of a value.
func (p prover) grant(session string, g bind.Given, value string) grant {
	mac := hmac.New(sha256.New, p.key)
	for _, part := range []string{session, g.Ref.String(), value} {
		_, _ = fmt.Fprintf(mac, "%d:%s", len(part), part) // which never fails, and cannot be cut in another way
	}
	return grant{g, hex.EncodeToString(mac.Sum(nil))}
}

// prover returns the one of all hosts that ever run on the directory.
func (s store) prover() (prover, error) {
	key, err := s.once(keyFile, func() []byte {
		fresh := make([]byte, keyLength)
		_, _ = rand.Read(fresh) // which never fails
		return fresh
	})
	if err == nil && len(key) != keyLength {
		err = errKeyFile
	}
	return prover{key}, err
}
