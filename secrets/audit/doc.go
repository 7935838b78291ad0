// Package audit records what the guard allows, denies, resolves and redacts.
package audit
