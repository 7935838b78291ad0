//go:build !race

package redact_test

// raceDetector says that sync.Pool keeps what it is given until the next collection.
const raceDetector = false
