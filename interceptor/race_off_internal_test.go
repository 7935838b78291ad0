//go:build !race

package interceptor

const raceDetector = false
