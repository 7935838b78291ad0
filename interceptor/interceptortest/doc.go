// Package interceptortest holds a test of yours to what the guard promises: that
// a value is nowhere where the Temporal server can see it.
//
// # Usage
//
// Put a [Tap] into the options of the client that the test and its workers use,
// and ask at the end:
//
//	tap := new(interceptortest.Tap)
//	c, err := client.Dial(client.Options{ConnectionOptions: client.ConnectionOptions{DialOptions: tap.DialOptions()}, Plugins: plugins})
//	...
//	interceptortest.AssertHistoryClean(t, c, interceptortest.Options{Tap: tap}, token)
//
// That reads the history, the description and the list row of every workflow, and
// everything that the client and its workers sent, and fails the test with the
// place of each find. Without a server, as with the SDK's test environment, ask a
// [Finder] about the messages that you have.
//
// # What is found
//
// Any 12 bytes of a value in a row, or all of it when it is shorter: as they are,
// escaped as in JSON, escaped for URLs, in hexadecimal digits of either case, and in
// base64 of both alphabets wherever the value begins in it, wrapped into lines or
// not; in gzip and zlib; and in any of these within another, up to six times. Every
// text, every byte field and every map key of a message is looked at, what is packed
// in an Any or in unknown fields included. With [Options.Codecs] also what these
// have encrypted: otherwise a value that only your own codec hides is not found.
//
// A value that is encrypted, hashed, reversed or spread over several fields is not
// found.
//
// # Errors
//
// Failures name the message, the field and the form. They show neither the value
// nor what stands around it.
//
// # Concurrency
//
// A Tap and a Finder may be used by any number of goroutines at once.
package interceptortest
