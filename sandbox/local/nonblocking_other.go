//go:build !unix

package local

const nonBlocking = 0
