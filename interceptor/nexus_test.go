package interceptor_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nexus-rpc/sdk-go/nexus"
)

// anything matches every argument of a mock.
const anything = "mock.Anything"

var noteOperation = nexus.NewSyncOperation("note", func(_ context.Context, in note, _ nexus.StartOperationOptions) (note, error) {
	return in, nil
})

func noteService(tb testing.TB) *nexus.Service {
	tb.Helper()
	s := nexus.NewService("service")
	s.MustRegister(noteOperation)
	return s
}

// holds reports whether a text occurs in what vs encode to.
func holds(vs []any, text string) bool {
	data, err := json.Marshal(vs)
	return err != nil || strings.Contains(string(data), text)
}
