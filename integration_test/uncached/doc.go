// Package uncached holds the tests that run with the workflow cache off: every
// workflow task replays its history from the first event, which is what a
// worker does after a restart. The setting is one for the whole process, so
// these tests have a package, and a server, of their own.
package uncached
