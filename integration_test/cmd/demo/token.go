package main

import "crypto/rand"

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// random returns n random characters.
func random(n int) string {
	text := make([]byte, 0, n)
	for len(text) < n {
		var b [1]byte
		_, _ = rand.Read(b[:]) // never fails
		if i := int(b[0]) & 63; i < len(alphanumeric) {
			text = append(text, alphanumeric[i])
		}
	}
	return string(text)
}

// newReportsToken makes a token of the reports API.
func newReportsToken() string { return "rpt_live_" + random(32) }

// newReleaseToken makes a token of the release service. It holds characters
// that JSON escapes, as generated passwords do.
func newReleaseToken() string { return "rel&" + random(14) + "<" + random(14) + `"` + random(6) }

// newForgeToken makes text with the form of a GitHub token.
func newForgeToken() string { return "ghp_" + random(36) }

// newDSN makes the address of a database with a password in it.
func newDSN() string {
	return "postgres://report_reader:" + random(24) + "@warehouse.internal.example/orders"
}
