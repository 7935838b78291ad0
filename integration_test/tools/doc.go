// Package tools compares this module with tools of others. It is a module of its
// own, so that theirs do not come into anybody's module graph:
//
//	go -C integration_test/tools test ./...
package tools
