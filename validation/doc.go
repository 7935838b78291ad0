// Package validation judges what leaves workflow code against a policy file.
package validation
