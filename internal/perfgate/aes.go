package main

import (
	"crypto/aes"
	"crypto/cipher"
)

// sealer is AES-256-GCM with the cipher kept: what an encrypting codec cannot do
// without.
type sealer struct {
	aead   cipher.AEAD
	nonce  []byte
	sealed []byte
	opened []byte
}

func newSealer() (*sealer, error) {
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &sealer{aead: aead, nonce: make([]byte, aead.NonceSize())}, nil
}

func (s *sealer) seal(data []byte) []byte {
	s.sealed = s.aead.Seal(s.sealed[:0], s.nonce, data, nil)
	return s.sealed
}

// open undoes the seal of data that was sealed before.
func (s *sealer) open(sealed []byte) {
	var err error
	if s.opened, err = s.aead.Open(s.opened[:0], s.nonce, sealed, nil); err != nil {
		panic(err) // the data is our own
	}
}
