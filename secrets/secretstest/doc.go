// Package secretstest helps to test code that handles secrets.
//
// # Usage
//
// A unit test of an activity gives it a value that is resolved, as the guard
// would:
//
//	token := secretstest.Resolved(t, secrets.EnvRef("DEPLOY_TOKEN"), secretstest.Canary(t))
//	result, err := PushTag(ctx, PushTagInput{Token: token})
//
// For an activity that calls secrets.Get, [Context] makes a context in which
// that works, and [Static] is a resolver with fixed contents. A resolver of
// one's own is tested with [Request] and [Reveal].
//
// # Canaries
//
// A [Canary] is text that occurs nowhere else. A test that uses one as the
// secret collects what the code wrote (a workflow history, logs, an audit file)
// and calls [AssertAbsent], which also finds parts of it and its encodings.
// Failures say where, and never show the canary.
//
// What makes or shows a value needs a [testing.TB] and fails in a program that
// is not a test: this package is no way to a value there.
package secretstest
