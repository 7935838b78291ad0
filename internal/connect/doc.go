// Package connect makes clients by the conventions of Temporal's command line: a
// profile of the configuration file, the variables TEMPORAL_* and flags, in this
// order.
package connect
