// Package live scans a namespace of a running server: the histories, memos, search
// attributes and pending activities of the workflows that a visibility query finds,
// the schedules, and the activities without a workflow. It only reads.
package live
