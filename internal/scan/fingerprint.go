package scan

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
)

// A fingerprint tells credentials apart within one scan. It says nothing about
// the value to whoever does not have the key.
type fingerprint [6]byte

// String returns hex digits.
func (f fingerprint) String() string { return hex.EncodeToString(f[:]) }

// A fingerprinter makes fingerprints under one key. It is not safe for concurrent
// use.
type fingerprinter struct{ mac hash.Hash }

// key is what the fingerprints of one scan have in common. It is random and is
// never shown, so that nobody can try candidates against a report.
type key [sha256.Size]byte

func newKey() (k key) {
	_, _ = rand.Read(k[:]) // never fails since Go 1.24
	return k
}

func (k key) fingerprinter() fingerprinter { return fingerprinter{hmac.New(sha256.New, k[:])} }

// of returns the fingerprint of a value. The line ends of a key in PEM form have
// been spaces and escapes, which make no other key of it.
func (f fingerprinter) of(value string) (out fingerprint) {
	if strings.HasPrefix(value, "-----BEGIN ") {
		value = strings.NewReplacer(`\r`, "", `\n`, "", "\r", "", "\n", "", " ", "", "\t", "").Replace(value)
	}
	f.mac.Reset()
	_, _ = f.mac.Write([]byte(value)) // a hash takes everything
	var sum [sha256.Size]byte
	copy(out[:], f.mac.Sum(sum[:0]))
	return out
}
