package interceptor_test

import (
	"context"
	"testing"
)

// numberKey writes itself as something else than its digits.
type numberKey int

func (numberKey) MarshalText() ([]byte, error) { return []byte(canary), nil }

// oddByte is a byte that writes itself as a text.
type oddByte uint8

func (oddByte) MarshalText() ([]byte, error) { return []byte(canary), nil }

// unsentNumber holds a number that JSON leaves out.
type unsentNumber struct {
	N int64 `json:"-"`
}

// TestOddShapesOfResults: what writes itself is searched as what it writes.
func TestOddShapesOfResults(t *testing.T) {
	for name, result := range map[string]any{
		"map key":           map[numberKey]string{1: "x"},
		"map key in a list": []any{map[numberKey]string{1: "x"}},
		"bytes":             []oddByte{1},
		"array":             [2]oddByte{1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Hidden = knowing(t, canary)
			out, err := attempt(t, opts, func(context.Context) (any, error) { return result, nil })
			if err != nil {
				return // withheld
			}
			var got any
			if err := out.Get(&got); err != nil || holds([]any{got}, canary) || holdsKey(got, canary) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	opts := options(t, "")
	opts.Hidden = knowing(t, "1234567890123456")
	outer := &spy{}
	env := attempts(t, opts, outer)
	if _, err := attemptIn(env, func(context.Context) (unsentNumber, error) { return unsentNumber{N: 1234567890123456}, nil }); err == nil {
		t.Error("a number that another converter may send went out")
	}
}

func holdsKey(v any, text string) bool {
	m, ok := v.(map[string]any)
	if !ok {
		if list, is := v.([]any); is {
			for _, e := range list {
				if holdsKey(e, text) {
					return true
				}
			}
		}
		return false
	}
	_, found := m[text]
	return found
}
