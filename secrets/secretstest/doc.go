// Package secretstest helps to test code that handles secrets.
package secretstest
