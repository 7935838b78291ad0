//go:build race

package interceptor

// raceDetector is true where pools drop what they are given at random.
const raceDetector = true
