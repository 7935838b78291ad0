//go:build !linux

package local_test

// Helpers are needed on Linux only.
var parts map[string]func()
