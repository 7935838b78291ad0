//go:build race

package redact_test

// raceDetector says that sync.Pool drops what it is given at random, as it does to find misuse.
const raceDetector = true
