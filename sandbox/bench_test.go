package sandbox_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

func sizedManifest(entries int) sandbox.Manifest {
	v := sandbox.Manifest{Entries: map[string]sandbox.Entry{}, Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{}}}
	for i := range entries {
		v.Entries[fmt.Sprintf("dir%d/file%d.txt", i%10, i)] = sandbox.Entry{
			Type: sandbox.EntryFile, Content: "the quick brown fox jumps over the lazy dog", Permissions: &sandbox.Permissions{Owner: 6, Group: 4, Other: 4},
		}
	}
	for i := range 5 {
		v.Environment.Values[fmt.Sprint("TOKEN_", i)] = sandbox.EnvSecret(secrets.Env(fmt.Sprint("REPORTS_TOKEN_", i)))
	}
	return v
}

func BenchmarkManifest(b *testing.B) {
	for _, n := range []int{10, 1000} {
		v := sizedManifest(n)
		data, err := json.Marshal(v)
		if err != nil {
			b.Fatal(err)
		}
		var form map[string]any
		if err := json.Unmarshal(data, &form); err != nil {
			b.Fatal(err)
		}
		for name, f := range map[string]func() error{
			"marshal":       func() error { _, err := json.Marshal(v); return err },
			"unmarshal":     func() error { var v sandbox.Manifest; return json.Unmarshal(data, &v) },
			"unmarshal any": func() error { var v any; return json.Unmarshal(data, &v) },
			"strict":        func() error { _, err := sandbox.DecodeManifest(data, sandbox.Strict); return err },
			"struct":        func() error { _, err := sandbox.NormalizeManifest(v); return err },
			"map":           func() error { _, err := sandbox.NormalizeManifest(form); return err },
			"digest":        func() error { _, err := v.Digest(); return err },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
