package interceptortest

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
)

const (
	// shortest is the length of the shortest value that can be looked for, in
	// bytes: shorter ones occur by chance.
	shortest = 6
	// patience bounds the conversation with the server when Options.Timeout is
	// zero.
	patience = 10 * time.Second
)

// Options say where [AssertHistoryClean] looks. The zero value reads every
// workflow of the client's namespace, and nothing of what was sent.
type Options struct {
	// Tap is what the client's connection options hold. It shows what the server
	// does not: answers of queries, heartbeats of activities that have ended,
	// updates that were rejected, calls that failed. nil looks at the server only.
	Tap *Tap

	// Workflows are those to read. One without a run id means its latest run and
	// the ones that it continues. nil means every run in the client's namespace,
	// those that the tap saw started or worked on in any case.
	Workflows []workflow.Execution

	// Codecs decode payloads before they are searched, in addition to searching
	// them as they are. nil sees no further than the server does: what a codec of
	// yours has encrypted counts as clean.
	Codecs []converter.PayloadCodec

	// Timeout bounds the reading. The list of workflows is written behind their
	// histories, and is waited for. Zero means 10 seconds.
	Timeout time.Duration
}

// AssertHistoryClean fails the test, without stopping it, for each place in which
// something of a value stands: in the history, the description or the list row of a
// workflow, or in a request that o.Tap saw. The package's documentation says in which
// forms it is found. c may be any client of the namespace, and needs neither the
// guard nor a codec.
//
// The message names the place and the index of the value, and shows neither the
// value nor the data. A call without values, with one of fewer than 6 bytes, or that
// finds no workflow and no request to look at, fails the test at once, since it would
// prove nothing; so does a server that does not answer.
func AssertHistoryClean(tb testing.TB, c client.Client, o Options, values ...string) {
	tb.Helper()
	if len(values) == 0 {
		tb.Fatalf("interceptortest: there is no value to look for")
		return
	}
	for i, v := range values {
		if len(v) < shortest {
			tb.Fatalf("interceptortest: value %d has %d bytes, at least %d are needed", i, len(v), shortest)
			return
		}
	}
	f := NewFinder(values, o.Codecs...)
	var found []Place
	looked := 0
	if o.Tap != nil {
		looked = len(o.Tap.Sent())
		found = o.Tap.Find(f)
	}
	timeout := o.Timeout
	if timeout == 0 {
		timeout = patience
	}
	ctx, cancel := context.WithTimeout(tb.Context(), timeout)
	defer cancel()
	visible, err := read(ctx, c, o)
	if err != nil {
		// The server's own words may quote an identifier.
		tb.Fatalf("interceptortest: the server could not be read: %s", f.words(err))
		return
	}
	if looked+len(visible) == 0 {
		tb.Fatalf("interceptortest: there is nothing to look at: no workflow and no request")
		return
	}
	for _, v := range visible {
		found = append(found, f.in(v.where(f), v.message)...)
	}
	for _, p := range sorted(found) {
		tb.Errorf("interceptortest: value %d is in %s", p.Value, p)
	}
}

// words is an error's text, unless something of a value is in it.
func (f *Finder) words(err error) string {
	if len(f.Bytes([]byte(err.Error()))) > 0 {
		return "(an error that quotes a value)"
	}
	return err.Error()
}
