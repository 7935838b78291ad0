package redact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

func TestJSON(t *testing.T) {
	tests := []struct {
		name   string
		values []string
		in     string
		want   string
		hits   int
		reason string
	}{
		{"clean", []string{"a", "0123456789"}, `{"k":[1,"x",null,true]}`, `{"k":[1,"x",null,true]}`, 0, "nothing to do"},
		{"string", []string{"a", "0123456789"}, `{"k":"x0123456789y"}`, `{"k":"x[redacted:a]y"}`, 1, "the rest of the string stays"},
		{"outermost string", []string{"a", "0123456789"}, ` "0123456789" `, ` "[redacted:a]" `, 1, "any JSON value will do"},
		{"key", []string{"a", "0123456789"}, `{"0123456789":1}`, `{"[redacted:a]":1}`, 1, "keys are text, too"},
		{"equal keys", []string{"a", "0123456789", "b", "abcdefghij"}, `{"0123456789":1,"012\u003345678\u0039":2,"abcdefghij":3}`, `{"[redacted:a]":1,"[redacted:a]#2":2,"[redacted:b]":3}`, 3, "no member is lost to a reader"},
		{"key that exists", []string{"a", "0123456789"}, `{"[redacted:a]#2":0,"0123456789":1,"x":{"0123456789":2},"[redacted:a]":3}`, `{"[redacted:a]#2":0,"[redacted:a]":1,"x":{"[redacted:a]":2},"[redacted:a]#3":3}`, 2, "per object, beside what stood there before"},
		{"escapes stay whole", []string{"a", "nabcdefgh"}, `"x\nabcdefghy"`, `"x[redacted:a]y"`, 1, "the value stands in the bytes, though the text says otherwise"},
		{"escaped letter at the edge", []string{"a", "u00e9abcdefgh"}, `"x\u00e9abcdefghy"`, `"x[redacted:a]y"`, 1, "as above"},
		{"half a surrogate pair", []string{"a", "ude00abcdefgh"}, `"x\ud83d\ude00abcdefghy"`, `"x[redacted:a]y"`, 1, "a pair is one character"},
		{"escaped", []string{"a", `pa"ss<w>ord`}, `{"k":"pa\"ss\u003cw\u003Eord","l":"pa\u0022ss<w>ord"}`, `{"k":"[redacted:a]","l":"[redacted:a]"}`, 2, "whatever the encoder escaped"},
		{"JSON in JSON", []string{"a", `pa"ss\word`}, `{"k":"{\"p\":\"pa\\\"ss\\\\word\"}"}`, `{"k":"{\"p\":\"[redacted:a]\"}"}`, 1, "the inner text stays JSON as well"},
		{"base64", []string{"a", "0123456789"}, `{"data":"eDAxMjM0NTY3ODk="}`, `{"data":"e[redacted:a]="}`, 1, "bytes fields are base64"},
		{"number", []string{"a", "12345678"}, `{"pin":12345678,"n":123}`, `{"pin":"[redacted:a]","n":123}`, 1, "a number can only be withheld"},
		{"number with more digits", []string{"a", "12345678"}, `[-91234567.5,9123456789e2]`, `[-91234567.5,"[redacted:a]"]`, 1, "as a whole"},
		{"short number", []string{"a", "12345678"}, `[1234567,123456,78]`, `[1234567,123456,78]`, 0, "no value, no change"},
		{"value over two members", []string{"a", `"x","l":"y"`}, `{"o":{"k":"x","l":"y"},"n":1}`, `{"o":"[redacted:a]","n":1}`, 1, "the smallest thing around it is withheld"},
		{"value over an array", []string{"a", `"one","two"`}, `[["one","two","three"],"four"]`, `["[redacted:a]","four"]`, 1, "as for objects"},
		{"value that is the document", []string{"a", `{"user":"u","password":"p"}`}, `{"user":"u","password":"p"}`, `"[redacted:a]"`, 1, "nothing around it is left"},
		{"withheld with hits inside", []string{"a", `"x","l":"y"`, "b", "0123456789"}, `{"o":{"j":"0123456789","k":"x","l":"y","m":"0123456789"},"0123456789":0}`, `{"o":"[redacted:a]","[redacted:b]":0}`, 4, "edits within are dropped"},
		{"nested withholding", []string{"a", `"k":["xxx","yyy"]`, "b", `"xxx","yyy"`}, `{"o":{"k":["xxx","yyy"]}}`, `{"o":"[redacted:a]"}`, 1, "the larger one wins"},
		{"value with its quotes", []string{"a", `"0123456789"`}, `{"k":"0123456789"}`, `{"k":"[redacted:a]"}`, 1, "the quotes of the text stay"},
		{"broken characters", []string{"a", "\xb6bcdefghi"}, "\"\u00f6bcdefghi!\"", `"[redacted:a]!"`, 1, "valid UTF-8 stays valid"},
		{"spaces are kept", []string{"a", "0123456789"}, "{ \"k\" :\t\"0123456789\" ,\n\"l\": 1.50e+2 }\n", "{ \"k\" :\t\"[redacted:a]\" ,\n\"l\": 1.50e+2 }\n", 1, "other bytes stay"},
		{"not JSON", []string{"a", "0123456789"}, `{"k":0123456789,`, `{"k":[redacted:a],`, 1, "redacted as text"},
		{"two documents", []string{"a", "0123456789"}, "\"0123456789\"\n\"0123456789\"\n", "\"[redacted:a]\"\n\"[redacted:a]\"\n", 2, "redacted as text"},
		{"marker and quote make a value", []string{"a", "0123456789", "b", `[redacted:a]"}`}, `{"k":"0123456789"}`, `{"k":"[redacted:a]"}`, 1, "no value was there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, tt.values...)
			got, hits := set.JSON([]byte(tt.in))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" || hits != tt.hits {
				t.Errorf("JSON(%s): %d hits, want %d: %s (-want +got):\n%s", tt.in, hits, tt.hits, tt.reason, diff)
			}
			if json.Valid([]byte(tt.in)) && !json.Valid(got) {
				t.Errorf("JSON(%s) = %s is no JSON", tt.in, got)
			}
			if again, hits := set.JSON(got); hits != 0 {
				t.Errorf("JSON(%s) = %s, want no change: redaction is idempotent", got, again)
			}
		})
	}
}

// TestManyEqualKeys redacts an object of which all keys become the same: each gets a number of its own, and the time
// that takes does not grow with the square of how many there are.
func TestManyEqualKeys(t *testing.T) {
	const n = 40_000
	set := newSet(t, "v", "0123456789")
	in := "{" + strings.Repeat(`"0123456789":0,`, n-1) + `"0123456789":0}`
	out, hits := set.JSON([]byte(in))
	if hits != n || !bytes.HasSuffix(out, fmt.Appendf(nil, `"[redacted:v]#%d":0}`, n)) {
		t.Errorf("%d hits, ends in %q", hits, out[max(0, len(out)-60):])
	}
}

// TestJSONForms checks that in any form a value leaves valid JSON of the same shape behind.
func TestJSONForms(t *testing.T) {
	for shape, value := range secretShapes() {
		set := newSet(t, "v", value)
		for form, emit := range emitters() {
			for _, around := range surroundings {
				text := emit(around[0] + value + around[1])
				in, err := json.Marshal(map[string]any{"list": []any{text, 1.5, nil}, "o": map[string]string{"pre " + text: "x"}})
				if err != nil {
					t.Fatal(err)
				}
				out, hits := set.JSON(in)
				if hits == 0 || set.Contains(out) {
					t.Errorf("%s / %s: %d hits, and %s", shape, form, hits, out)
				}
				var got struct {
					List []any
					O    map[string]string
				}
				if err := json.Unmarshal(out, &got); err != nil {
					t.Errorf("%s / %s: %v in %s", shape, form, err, out)
					continue
				}
				if len(got.List) != 3 || got.List[1] != 1.5 || got.List[2] != nil || len(got.O) != 1 {
					t.Errorf("%s / %s: the shape changed: %s", shape, form, out)
				}
				for key, x := range got.O {
					if !strings.HasPrefix(key, "pre ") || x != "x" {
						t.Errorf("%s / %s: the shape changed: %s", shape, form, out)
					}
				}
			}
		}
	}
}

// TestJSONPerElement checks that redacting a document and redacting its strings come to the same.
func TestJSONPerElement(t *testing.T) {
	set := newSet(t, "a", `to"ken\0123`, "b", "plain-value")
	leaves := []string{"clean", `x to"ken\0123`, "plain-value\nplain-value", `ends in \`, `"quoted"`, `\u0070lain-value`}
	in, err := json.Marshal(leaves)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := set.JSON(in)
	var got []string
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, leaf := range leaves {
		redacted, _ := set.String(leaf)
		want = append(want, redacted)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestJSONLeavesOfAmbiguousValues: a value that holds what is an escape elsewhere,
// or stands behind a percent sign, is found in the leaf that it is.
func TestJSONLeavesOfAmbiguousValues(t *testing.T) {
	for _, tc := range []struct{ value, text, want string }{
		{`pass-word\%c3nyx`, `{"k":"pass-word\\%c3nyx"}`, `{"k":"[redacted:v]"}`},
		{`hunter2\%41bcdef`, `["a hunter2\\%41bcdef b"]`, `["a [redacted:v] b"]`},
		{`beef&ss-word-1234`, `{"q":"like %beef\u0026ss-word-1234%"}`, `{"q":"like [redacted:v]%"}`},
	} {
		set := redact.NewSet()
		if err := set.Add("v", tc.value); err != nil {
			t.Fatal(err)
		}
		got, hits := set.JSON([]byte(tc.text))
		if string(got) != tc.want || hits != 1 {
			t.Errorf("%s: got %s, %d hits, want %s", tc.value, got, hits, tc.want)
		}
		holder := set.NewHolder()
		if got, _ := holder.JSON([]byte(tc.text)); strings.Contains(string(got), "[redacted:v]") || string(got) == tc.text {
			t.Errorf("%s: a stranger gets %s", tc.value, got)
		}
	}
}

// TestURLPaths: the credential of a web hook stands in its path.
func TestURLPaths(t *testing.T) {
	const token = "x8Kd93mQzP0aLr7TnW2vYb5c"
	for _, address := range []string{
		"https://hooks.example.com/services/T0/B0/" + token, "https://api.example.com/bot" + token + "/send", "https://app.example.com/#access_token=" + token,
	} {
		set := redact.NewSet()
		if err := set.Add("v", address); err != nil {
			t.Fatal(err)
		}
		if got, hits := set.String("POST /other/" + token + " failed"); hits != 1 || strings.Contains(got, token) {
			t.Errorf("%s: %s", address, got)
		}
		if _, hits := set.String("https://hooks.example.com/services and https://api.example.com/"); hits != 0 {
			t.Errorf("%s: what is public is hidden", address)
		}
	}
}
