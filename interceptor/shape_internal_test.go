package interceptor

import (
	"encoding/json"
	"fmt"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

type pointerJSON struct{ s string }

func (p *pointerJSON) MarshalJSON() ([]byte, error) { return json.Marshal(map[string]string{"s": p.s}) }

type pointerText struct{ s string }

func (p *pointerText) MarshalText() ([]byte, error) { return []byte(p.s), nil }

type (
	plainName  struct{ Token string }
	taggedName struct {
		Other string `json:"Token"`
	}
	sharedName struct {
		plainName
		taggedName
	}
	deeper       struct{ plainName }
	shallow      struct{ Token string }
	sharedDeeper struct {
		deeper
		shallow
	}
)

// TestShapesThatOnlyEncodingTells: what a value writes is decided by marshalers
// with pointer receivers, by rules for fields that share a name, and beside the
// data of a payload. An encrypting converter encodes right after this.
func TestShapesThatOnlyEncodingTells(t *testing.T) {
	token := secretstest.Canary(t)
	hidden := redact.NewSet()
	if err := hidden.Add("deploy", token); err != nil {
		t.Fatal(err)
	}
	escaped := `with "quotes" & <angles> ` + token + ` and "more" & <more>`
	if err := hidden.Add("quoted", escaped); err != nil {
		t.Fatal(err)
	}
	document, err := json.Marshal(map[string]string{"t": escaped})
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	payload := &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain"), "note": []byte(token), token: nil}, Data: []byte("1")}
	for name, v := range map[string]any{
		"pointer receiver in a slice":      []pointerJSON{{token}},
		"pointer receiver behind a field":  &struct{ F pointerJSON }{pointerJSON{token}},
		"pointer receiver in an array":     &[1]pointerJSON{{token}},
		"text of a pointer receiver":       []pointerText{{token}},
		"bytes of JSON, encoded":           json.RawMessage(leaf),
		"bytes of JSON in a message":       wrapperspb.Bytes(document),
		"a tag wins":                       sharedName{plainName{"x"}, taggedName{token}},
		"the shallower wins":               sharedDeeper{deeper{plainName{"x"}}, shallow{token}},
		"metadata of a raw value":          converter.NewRawValue(payload),
		"metadata of payloads":             &commonpb.Payloads{Payloads: []*commonpb.Payload{payload}},
		"metadata of a payload":            payload,
		"pointer receiver in an interface": map[string]any{"x": []any{&pointerJSON{token}}},
	} {
		t.Run(name, func(t *testing.T) {
			out, hits, err := cleaner{hidden: hidden}.value(v)
			if err != nil || hits == 0 {
				t.Fatalf("%d hits, %v", hits, err)
			}
			if ps, ok := out.(*commonpb.Payloads); ok {
				out = ps.GetPayloads()[0]
			}
			var data []byte
			if p, ok := out.(*commonpb.Payload); ok {
				data = []byte(p.String())
			} else {
				p, err := converter.GetDefaultDataConverter().ToPayload(out)
				if err != nil {
					t.Fatal(err)
				}
				data = []byte(p.String())
			}
			secretstest.AssertAbsent(t, []string{token, escaped}, data)
		})
	}
}

// TestErrorsAreLoggedAsTheirText: an error may say something else when it is asked
// again.
func TestErrorsAreLoggedAsTheirText(t *testing.T) {
	token := secretstest.Canary(t)
	hidden := redact.NewSet()
	if err := hidden.Add("deploy", token); err != nil {
		t.Fatal(err)
	}
	h := hidingLogger{g: &guard{hidden: hidden}}
	got := fmt.Sprint(h.field(&moody{token: token}), h.field(&moody{token: token, asked: 1}))
	secretstest.AssertAbsent(t, []string{token}, []byte(got))
}

type moody struct {
	token string
	asked int
}

func (m *moody) Error() string {
	m.asked++
	if m.asked > 1 {
		return "with " + m.token
	}
	return "nothing"
}
