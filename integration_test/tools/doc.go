// Package tools compares this module with tools of others, and tries it with those
// that it can use. It is a module of its own, so that theirs do not come into
// anybody's module graph, and that only its tests need them on the machine:
//
//	go -C integration_test/tools test ./...
package tools
