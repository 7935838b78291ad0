package interceptor

import (
	"fmt"
	"log/slog"
	"reflect"
	"testing"

	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// endless are values that lead back to themselves without a segment on the way.
func endless() map[string]any {
	var self any
	self = &self
	loop := map[string]any{}
	loop["self"] = loop
	type node struct{ next *node }
	ring := &node{}
	ring.next = ring
	return map[string]any{"pointer to an interface": self, "map": loop, "list": ring}
}

// TestEndlessValues: a stack overflow cannot be recovered from; it would take the
// whole worker down.
func TestEndlessValues(t *testing.T) {
	hidden := redact.NewSet()
	if err := hidden.Add("deploy", secretstest.Canary(t)); err != nil {
		t.Fatal(err)
	}
	for name, v := range endless() {
		t.Run(name, func(t *testing.T) {
			w := &walker{visitor: visitor{text: func(place, string, string) {}}}
			w.values([]any{v})
			_, err := editArgs([]any{v}, validation.Pointer{"0", "token"}, func(cur reflect.Value, _ reflect.Type) (reflect.Value, error) {
				return cur, errNoChange
			})
			if err == nil && name != "map" { // a map can get the key
				t.Error("a place was found")
			}
			if got := (hidingLogger{g: &guard{hidden: hidden}}).field(v); got != withheldText {
				t.Errorf("logged as %T", got)
			}
			if _, _, err := (cleaner{hidden: hidden}).value(v); err == nil && name != "list" {
				t.Error("it was found to be clean")
			}
		})
	}
}

type logged struct{ token string }

func (l logged) LogValue() slog.Value { return slog.GroupValue(slog.String("t", l.token)) }

type marshalled struct{ token string }

func (m marshalled) MarshalLogObject(enc zapcore.ObjectEncoder) error {
	enc.AddString("t", m.token)
	return nil
}

// TestFieldsThatLoggersAskForMore: what slog and zap make of a field.
func TestFieldsThatLoggersAskForMore(t *testing.T) {
	token := secretstest.Canary(t)
	hidden := redact.NewSet()
	if err := hidden.Add("deploy", token); err != nil {
		t.Fatal(err)
	}
	if err := hidden.Add("number", "8675309123456"); err != nil {
		t.Fatal(err)
	}
	h := hidingLogger{g: &guard{hidden: hidden}}
	for name, v := range map[string]any{
		"LogValuer": logged{token}, "pointer to it": &logged{token}, "attribute": slog.Any("k", logged{token}),
		"group": slog.GroupValue(slog.Any("k", []any{token})), "zap object": marshalled{token},
		"float": 8675309123456.0, "unexported": struct{ s string }{token},
		"zap array": zapcore.ArrayMarshalerFunc(func(enc zapcore.ArrayEncoder) error { enc.AppendString(token); return nil }),
	} {
		t.Run(name, func(t *testing.T) {
			got := fmt.Sprintf("%+v", h.field(v))
			secretstest.AssertAbsent(t, []string{token, "8675309123456"}, []byte(got))
		})
	}
}

// TestFieldThatJSONWrites: a binding goes to the field that is encoded under the
// name, whatever other fields share it.
func TestFieldThatJSONWrites(t *testing.T) {
	set := func(_ reflect.Value, want reflect.Type) (reflect.Value, error) { return textAs("new", want) }
	out, err := editArgs([]any{sharedDeeper{deeper{plainName{"x"}}, shallow{"y"}}}, validation.Pointer{"0", "Token"}, set)
	if err != nil || out[0].(sharedDeeper).shallow.Token != "new" || out[0].(sharedDeeper).deeper.Token != "x" {
		t.Errorf("got %+v, %v", out, err)
	}
	out, err = editArgs([]any{sharedName{plainName{"x"}, taggedName{"y"}}}, validation.Pointer{"0", "Token"}, set)
	if err != nil || out[0].(sharedName).Other != "new" {
		t.Errorf("got %+v, %v", out, err)
	}
	type twice struct {
		plainName
		shallow
	}
	if _, err := editArgs([]any{twice{}}, validation.Pointer{"0", "Token"}, set); err == nil {
		t.Error("encoding/json writes neither, and one was bound")
	}
}
