// Package sandbox holds the wire types of agent sandboxes.
package sandbox
