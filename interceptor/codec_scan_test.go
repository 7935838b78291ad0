package interceptor_test

import (
	"context"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

func knowing(tb testing.TB, values ...string) *redact.Set {
	tb.Helper()
	set := redact.NewSet()
	for _, v := range values {
		if err := set.Add("deploy", v); err != nil {
			tb.Fatal(err)
		}
	}
	return set
}

func payloadOf(tb testing.TB, encoding string, data string) *commonpb.Payload {
	tb.Helper()
	return &commonpb.Payload{Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encoding), "other": []byte("kept")}, Data: []byte(data)}
}

// TestScanCodec hides what the set knows in JSON and in text, puts a text in the
// place of what it cannot edit, and leaves ciphertext alone.
func TestScanCodec(t *testing.T) {
	for _, tc := range []struct {
		name, encoding, in, want string
	}{
		{"JSON", "json/plain", `{"a":["with ` + canary + `"]}`, `{"a":["with [redacted]"]}`},
		{"protobuf as JSON", "json/protobuf", `{"name":"` + canary + `"}`, `{"name":"[redacted]"}`},
		{"text", "binary/plain", "with " + canary, "with [redacted]"},
		{"binary in plain bytes", "binary/plain", "\xff\xfe" + canary, `"[withheld: could not be searched for secrets]"`},
		{"archive of text", "binary/plain", "name\x00\x00\x00" + canary, `"[withheld: could not be searched for secrets]"`},
		{"protobuf", "binary/protobuf", "\n\x17" + canary, `"[withheld: could not be searched for secrets]"`},
		{"protobuf that looks like text", "binary/protobuf", "\n(" + canary + "------------------", `"[withheld: could not be searched for secrets]"`},
		{"null", "binary/null", "", ""},
		{"without a hit", "json/plain", `{ "spaces" : "kept" }`, `{ "spaces" : "kept" }`},
		{"ciphertext", "binary/encrypted", "\x01\x02\x03", "\x01\x02\x03"},
		{"broken JSON", "json/plain", `{"a":"` + canary, ""},
		{"literal", "json/plain", `"` + githubToken + `"`, `"` + githubToken + `"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := payloadOf(t, tc.encoding, tc.in)
			codec := guard.ScanCodec(knowing(t, canary))
			out, err := codec.Encode([]*commonpb.Payload{in, payloadOf(t, "json/plain", "1")})
			if err != nil || len(out) != 2 {
				t.Fatalf("%d payloads, %v", len(out), err)
			}
			secretstest.AssertAbsent(t, []string{canary}, out[0].GetData(), []byte(" "))
			if got := string(out[0].GetData()); tc.want != "" && got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if string(in.GetData()) != tc.in {
				t.Error("the caller's payload was written to")
			}
			back, err := codec.Decode(out)
			if err != nil || len(back) != 2 || back[0] != out[0] {
				t.Errorf("decoded %v, %v", back, err)
			}
		})
	}
}

// TestScanCodecWithoutASet panics when it is made: the SDK sends a memo in plain text
// past a codec that fails when it is used.
func TestScanCodecWithoutASet(t *testing.T) {
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "fix: make one with redact.NewSet") {
			t.Errorf("panic %q", said)
		}
	}()
	guard.ScanCodec(nil)
	t.Error("a codec was made")
}

// TestScanCodecNeverFails: whatever it is given, and even with a set that is broken.
func TestScanCodecNeverFails(t *testing.T) {
	broken := knowing(t, canary)
	breaks(broken)
	for name, set := range map[string]*redact.Set{"empty": redact.NewSet(), "known": knowing(t, canary), "broken": broken} {
		for _, in := range []*commonpb.Payload{
			nil, {}, payloadOf(t, "json/plain", "{"+canary), payloadOf(t, "binary/plain", "\xff"+canary), payloadOf(t, "own", canary),
		} {
			out, err := guard.ScanCodec(set).Encode([]*commonpb.Payload{in})
			if err != nil || len(out) != 1 || name != "empty" && strings.Contains(string(out[0].GetData()), canary) {
				t.Errorf("%s: %v became %v, %v", name, in, out, err)
			}
		}
	}
}

// TestScanCodecInsideEncryption: last in the user's list, it sees plain payloads.
func TestScanCodecInsideEncryption(t *testing.T) {
	hiddenSet := knowing(t, canary)
	dc := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), reversing{}, guard.ScanCodec(hiddenSet))
	p, err := dc.ToPayload(map[string]string{"t": canary})
	if err != nil {
		t.Fatal(err)
	}
	if string(p.GetMetadata()[converter.MetadataEncoding]) != "binary/encrypted" {
		t.Fatalf("not encrypted: %v", p.GetMetadata())
	}
	var got map[string]string
	if err := dc.FromPayload(p, &got); err != nil || got["t"] != nameless {
		t.Errorf("got %v, %v", got, err)
	}
}

// configured returns the converters that the plugin makes of a client's.
func configured(tb testing.TB, opts guard.Options, dc converter.DataConverter, fc converter.FailureConverter) client.Options {
	tb.Helper()
	r := newRig(tb, opts)
	r.client.DataConverter, r.client.FailureConverter = dc, fc
	r.configure(tb)
	return r.client
}

// TestPluginCleansWhatIsEncoded: the net behind the hooks, with the default
// converter and with a user's that encrypts.
func TestPluginCleansWhatIsEncoded(t *testing.T) {
	for name, dc := range map[string]converter.DataConverter{
		"default":    nil,
		"encrypting": converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), reversing{}),
		"own":        shouting{converter.GetDefaultDataConverter()},
		"aware":      aware{DataConverter: converter.GetDefaultDataConverter()},
	} {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Hidden = knowing(t, canary)
			got := configured(t, opts, dc, nil).DataConverter
			serializing := converter.WithDataConverterSerializationContext(got, converter.WorkflowSerializationContext{WorkflowID: "w"})
			for _, aware := range []converter.DataConverter{got, inContext(t, got), inWorkflow(t, got), serializing} {
				p, err := aware.ToPayload(map[string]any{"t": "with " + canary})
				if err != nil {
					t.Fatal(err)
				}
				var v map[string]any
				if err := aware.FromPayload(p, &v); err != nil || v["t"] != "with "+nameless {
					t.Errorf("one: %v, %v", v, err)
				}
				ps, err := aware.ToPayloads(canary, []byte{1}, append([]byte{0xff}, canary...))
				if err != nil {
					t.Fatal(err)
				}
				var text string
				var raw []byte
				if err := aware.FromPayloads(ps, &text, &raw); err != nil || text != nameless || len(raw) != 1 {
					t.Errorf("several: %q %v, %v", text, raw, err)
				}
				var note string
				if err := aware.FromPayload(ps.GetPayloads()[2], &note); err != nil || note != "[withheld: could not be searched for secrets]" {
					t.Errorf("withheld: %q, %v", note, err)
				}
			}
		})
	}
}

// shouting is a converter of a user's that the guard knows nothing of.
type shouting struct{ converter.DataConverter }

// aware is a converter of a user's that depends on where it is used, as one that
// encrypts with a key for each tenant does.
type aware struct {
	converter.DataConverter
	where string
}

func (a aware) WithContext(ctx context.Context) converter.DataConverter {
	where, _ := ctx.Value(contextKey{}).(string)
	return aware{a.DataConverter, where}
}

func (a aware) WithWorkflowContext(ctx workflow.Context) converter.DataConverter {
	return aware{a.DataConverter, workflow.GetInfo(ctx).WorkflowType.Name}
}

func (a aware) ToPayload(v any) (*commonpb.Payload, error) {
	p, err := a.DataConverter.ToPayload(v)
	if err == nil && a.where != "" {
		p.Metadata["where"] = []byte(a.where)
	}
	return p, err
}

// TestAwareConverterIsToldWhereItIs: the net passes on what a converter asks for,
// and stays around what it gets back.
func TestAwareConverterIsToldWhereItIs(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	dc := configured(t, opts, aware{DataConverter: converter.GetDefaultDataConverter()}, nil).DataConverter
	for where, in := range map[string]converter.DataConverter{"tenant": inContext(t, dc), "run": inWorkflow(t, dc)} {
		p, err := in.ToPayload("with " + canary)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(p.GetMetadata()["where"]); got == "" || string(p.GetData()) != `"with `+nameless+`"` {
			t.Errorf("%s: %q in %q", where, p.GetData(), got)
		}
	}
}

// contextKey is what a user's converter would look for in a context.
type contextKey struct{}

func inContext(tb testing.TB, dc converter.DataConverter) converter.DataConverter {
	tb.Helper()
	if aware, ok := dc.(workflow.ContextAware); ok {
		return aware.WithContext(context.WithValue(tb.Context(), contextKey{}, "tenant"))
	}
	return dc
}

func inWorkflow(tb testing.TB, dc converter.DataConverter) (out converter.DataConverter) {
	tb.Helper()
	out = dc
	if err := run(tb, environment(tb, options(tb, "")), func(ctx workflow.Context) error {
		if aware, ok := dc.(workflow.ContextAware); ok {
			out = aware.WithWorkflowContext(ctx)
		}
		return nil
	}); err != nil {
		tb.Fatal(err)
	}
	return out
}

// TestUsersConverterIsStillAsked: what it encodes is its business.
func TestUsersConverterIsStillAsked(t *testing.T) {
	dc := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), reversing{})
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	p, err := configured(t, opts, dc, nil).DataConverter.ToPayload("plain")
	if err != nil || string(p.GetMetadata()[converter.MetadataEncoding]) != "binary/encrypted" {
		t.Errorf("got %v, %v", p.GetMetadata(), err)
	}
}
