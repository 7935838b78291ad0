// Package redact finds registered secret values in text and replaces them.
package redact
