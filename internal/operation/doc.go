// Package operation holds the activities of a sandbox provider as they are on the wire: their names, and the
// arguments and results of Temporal's plugin for the OpenAI Agents SDK (version 0.19.4 of the latter). Workflow
// code, the host of the sandboxes, and the guard between them share it.
//
// Arguments are decoded without an error: what is wrong with them is kept, and Fault returns it, so that a host can
// answer with an error of its own that is not tried again. Temporal's converter would have the activity fail in a
// way that is retried for ever.
package operation
