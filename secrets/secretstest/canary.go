package secretstest

import (
	"crypto/rand"
	"testing"
)

// Canary returns 40 letters and digits that occur nowhere else and that hold
// for a secret. Each call returns others.
func Canary(tb testing.TB) string {
	tb.Helper()
	return ("canary" + rand.Text() + rand.Text())[:40]
}

// AssertAbsent fails the test, without stopping it, if something of a canary is
// in data. It looks for
//
//   - any window of 12 bytes of the canary, or all of it if it is shorter;
//   - the same as hexadecimal digits;
//   - the same escaped as a JSON string in the ways of Go, Python and
//     JavaScript, and escaped twice;
//   - 12 characters of its base64 form, in either alphabet and wherever the
//     canary begins within a group of three; of the base64 form of its escaped
//     form, as in a history that was exported as JSON; and of base64 in base64.
//
// The message says which canary, where, and in what form, and shows neither the
// canary nor the data. Canaries of fewer than 6 bytes occur by chance, and fail
// the test at once; so does a call without canaries or without data, since it
// would prove nothing.
func AssertAbsent(tb testing.TB, canaries []string, data ...[]byte) {
	tb.Helper()
	if len(canaries) == 0 || len(data) == 0 {
		tb.Fatalf("secretstest: AssertAbsent needs canaries and data, got %d and %d", len(canaries), len(data))
		return
	}
	for i, canary := range canaries {
		if len(canary) < minCanary {
			tb.Fatalf("secretstest: canary %d has %d bytes, at least %d are needed", i, len(canary), minCanary)
			return
		}
		needles := needlesOf(canary)
		for j, d := range data {
			if hit, ok := needles.find(d); ok {
				tb.Errorf("secretstest: canary %d is in data %d at byte %d of %d, in the form %s", i, j, hit.at, len(d), hit.form)
			}
		}
	}
}
