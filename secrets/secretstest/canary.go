package secretstest

import (
	"bytes"
	"crypto/rand"
	"testing"
)

// Canary returns text of 40 letters and digits that occurs nowhere else.
func Canary(tb testing.TB) string {
	tb.Helper()
	return ("canary" + rand.Text() + rand.Text())[:40]
}

// AssertAbsent fails the test if a canary is in data.
func AssertAbsent(tb testing.TB, canaries []string, data ...[]byte) {
	tb.Helper()
	for _, c := range canaries {
		for i, d := range data {
			if bytes.Contains(d, []byte(c)) {
				tb.Errorf("secretstest: a canary is in data %d", i)
			}
		}
	}
}
