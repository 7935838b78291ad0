package secretstest_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// recorder keeps what a check fails with.
type recorder struct {
	testing.TB
	errors []string
	fatal  bool
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.fatal = true
	runtime.Goexit()
}

// record runs f, which may stop, and returns what it failed with.
func record(t *testing.T, f func(r *recorder)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

// found reports whether AssertAbsent fails on data, and that it does so without
// showing what it looked for.
func found(t *testing.T, canary string, data string) bool {
	t.Helper()
	r := record(t, func(r *recorder) { secretstest.AssertAbsent(r, []string{canary}, []byte(data)) })
	for _, e := range r.errors {
		if strings.Contains(e, canary) || len(data) > 0 && strings.Contains(e, data) {
			t.Errorf("the failure shows what it must not: %s", e)
		}
	}
	return len(r.errors) > 0
}

func TestCanary(t *testing.T) {
	t.Parallel()
	a, b := secretstest.Canary(t), secretstest.Canary(t)
	if a == b || len(a) != 40 || len(b) != 40 {
		t.Errorf("Canary gives %q and %q", a, b)
	}
	if found(t, a, b+" canary "+strings.Repeat("canary", 10)) {
		t.Error("a canary is found in another")
	}
}

func TestAssertAbsentFinds(t *testing.T) {
	t.Parallel()
	plain := secretstest.Canary(t)
	asJSON := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	b64 := base64.StdEncoding.EncodeToString
	url := base64.RawURLEncoding.EncodeToString
	const special = `p"a\s/s<w>&ord` + "\n\tüber-€-😀-Zeile?>~" // all that encoders treat differently
	python := `p\"a\\s/s<w>&ord\n\t\u00fcber-\u20ac-\ud83d\ude00-Zeile?>~`
	script := `p\"a\\s/s<w>&ord\n\tüber-€-😀-Zeile?>~`
	php := strings.ReplaceAll(python, "/", `\/`)

	for _, tc := range []struct{ name, canary, data string }{
		{"raw", plain, plain},
		{"within text", plain, "token " + plain + " is bad"},
		{"first window", plain, "x" + plain[:12] + "x"},
		{"last window", plain, plain[28:]},
		{"middle window", plain, "x" + plain[13:25] + "x"},
		{"JSON", special, asJSON(map[string]string{"a": special})},
		{"JSON in JSON", special, asJSON(asJSON(special))},
		{"Python's JSON", special, `"` + python + `"`},
		{"Python's JSON in JSON", special, asJSON(python)},
		{"JavaScript's JSON", special, `"` + script + `"`},
		{"PHP's JSON", special, `"` + php + `"`},
		{"a part of JSON", special, `\u003cw\u003e\u0026ord\n\tüb`},
		{"base64", plain, b64([]byte(plain))},
		{"base64, second place", plain, b64([]byte("a" + plain))},
		{"base64, third place", plain, b64([]byte("ab" + plain + "c"))},
		{"base64 of a window", plain, b64([]byte("ab" + plain[5:17] + "c"))},
		{"base64, URL alphabet", special, url([]byte("??>" + special))},
		{"base64 of JSON", special, b64([]byte(asJSON([]string{special})))},
		{"base64 of Python's JSON", special, b64([]byte(`["` + python + `"]`))},
		{"base64 of base64", plain, b64([]byte("x" + b64([]byte("ab"+plain))))},
		{"JSON of bytes", plain, asJSON([]byte(plain))},
		{"a payload in an exported history", plain, asJSON(map[string]any{"data": []byte(asJSON([]byte("y" + plain)))})},
		{"hexadecimal", plain, hex.EncodeToString([]byte(plain))},
		{"capital hexadecimal", plain, strings.ToUpper(hex.EncodeToString([]byte("x" + plain[20:])))},
		{"short", "hunter2", "password hunter2."},
		{"short in base64", "hunter2", b64([]byte("u:hunter2\n"))},
		{"short in JSON", `hunt"2`, asJSON(`x hunt"2 y`)},
		{"exactly a window", "0123456789ab", "0123456789ab"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if !found(t, tc.canary, tc.data) {
				t.Error("not found")
			}
		})
	}
}

// A canary in base64 is found wherever it lies and whatever surrounds it.
func TestAssertAbsentFindsEveryAlignment(t *testing.T) {
	t.Parallel()
	canary := secretstest.Canary(t)
	for length := 12; length <= len(canary); length++ {
		for before := range 7 {
			for after := range 4 {
				text := strings.Repeat("?", before) + canary[len(canary)-length:] + strings.Repeat(">", after)
				for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
					if !found(t, canary, enc.EncodeToString([]byte(text))) {
						t.Errorf("%d bytes after %d and before %d are not found", length, before, after)
					}
				}
			}
		}
	}
}

func TestAssertAbsentPasses(t *testing.T) {
	t.Parallel()
	canary := secretstest.Canary(t)
	for name, data := range map[string]string{
		"nothing":              "",
		"other text":           strings.Repeat("The quick brown fox. ", 500),
		"less than a window":   canary[:11] + " " + canary[20:31],
		"other base64":         base64.StdEncoding.EncodeToString([]byte(strings.Repeat("other", 200))),
		"the name":             secretstest.Resolved(t, secrets.EnvRef("TOKEN"), canary).String(),
		"base64 of a fragment": base64.StdEncoding.EncodeToString([]byte(canary[:8])),
	} {
		if found(t, canary, data) {
			t.Errorf("%s: found", name)
		}
	}
}

func TestAssertAbsentNeedsSomethingToLookFor(t *testing.T) {
	t.Parallel()
	for name, check := range map[string]func(r *recorder){
		"no canaries": func(r *recorder) { secretstest.AssertAbsent(r, nil, []byte("x")) },
		"no data":     func(r *recorder) { secretstest.AssertAbsent(r, []string{"hunter2"}) },
		"empty":       func(r *recorder) { secretstest.AssertAbsent(r, []string{""}, []byte("x")) },
		"too short":   func(r *recorder) { secretstest.AssertAbsent(r, []string{"hunter2", "12345"}, []byte("x")) },
	} {
		if r := record(t, check); !r.fatal || strings.Contains(strings.Join(r.errors, ""), "12345") {
			t.Errorf("%s: %v, want a fatal failure", name, r.errors)
		}
	}
	r := record(t, func(r *recorder) {
		secretstest.AssertAbsent(r, []string{"hunter2", "hunter3"}, []byte("x"), []byte("a hunter3 b hunter2"))
	})
	if len(r.errors) != 2 || !strings.Contains(r.errors[1], "canary 1 is in data 1 at byte 2 of 19") {
		t.Errorf("the failures are %q", r.errors)
	}
}

func TestResolved(t *testing.T) {
	t.Parallel()
	v := secretstest.Resolved(t, secrets.EnvRef("TOKEN"), "hunter2")
	if got, err := v.Reveal(); got != "hunter2" || err != nil || v.Ref() != secrets.EnvRef("TOKEN") {
		t.Errorf("Resolved gives %v with %q, %v", v, got, err)
	}
	if r := record(t, func(r *recorder) { secretstest.Resolved(r, secrets.EnvRef("A B"), "hunter2") }); !r.fatal {
		t.Error("a reference that is none does not fail the test")
	}
}

func TestStatic(t *testing.T) {
	t.Parallel()
	values := map[string]string{"env:TOKEN": "hunter2", "vault:kv/app#token@4": "hunter3", "env:EMPTY": ""}
	strict := secretstest.Static(values)
	open := secretstest.Static(values, secretstest.AllowUnminted(t))
	values["env:TOKEN"] = "changed" // too late
	vault := secrets.Ref{Provider: "vault", Name: "kv/app", Field: "token", Version: "4"}
	minted := func(r secrets.Ref) secrets.Request { return secretstest.Request(t, r, secrets.Scope{}) }
	for _, tc := range []struct {
		name string
		from secrets.Resolver
		req  secrets.Request
		want string
		err  error
	}{
		{"env", strict, minted(secrets.EnvRef("TOKEN")), "hunter2", nil},
		{"vault", strict, minted(vault), "hunter3", nil},
		{"missing", strict, minted(secrets.EnvRef("OTHER")), "", secrets.ErrNotFound},
		{"empty", strict, minted(secrets.EnvRef("EMPTY")), "", secrets.ErrEmpty},
		{"not minted", strict, secrets.Request{Ref: vault}, "", secrets.ErrNotMinted},
		{"not minted, allowed", open, secrets.Request{Ref: vault}, "hunter3", nil},
	} {
		res, err := tc.from.Resolve(t.Context(), tc.req)
		if got := secretstest.Reveal(t, res); got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %q, %v, want %q, %v", tc.name, got, err, tc.want, tc.err)
		}
	}
	for _, key := range []string{"TOKEN", "env:A B", "env:{group}"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Static accepts the key %q", key)
				}
			}()
			secretstest.Static(map[string]string{key: "x"})
		}()
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	var asked secrets.Request
	scope := secrets.Scope{ActivityType: "PushTag", Attempt: 1}
	ctx := secretstest.Context(t, t.Context(), secrets.ResolverFunc(func(_ context.Context, req secrets.Request) (secrets.Resolution, error) {
		asked = req
		if req.Ref == secrets.EnvRef("OTHER") {
			return secrets.Resolution{}, errors.New("hunter2")
		}
		return secrets.NewResolution("hunter2", secrets.ResolutionInfo{}), nil
	}), scope)
	v, err := secrets.Get(ctx, secrets.EnvRef("TOKEN"))
	if got, _ := v.Reveal(); err != nil || got != "hunter2" || asked.Scope != scope || !asked.Minted() {
		t.Errorf("Get gives %q, %v, asked with %+v", got, err, asked.Scope)
	}
	if _, err := secrets.Get(ctx, secrets.EnvRef("OTHER")); !errors.Is(err, secrets.ErrUnavailable) {
		t.Errorf("Get of what cannot be read: %v", err)
	}
}
