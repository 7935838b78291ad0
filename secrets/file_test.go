package secrets_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// write makes a file below dir, and the directories above it.
func write(t *testing.T, dir, name, contents string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(contents), 0o600); err != nil {
		t.Fatal(err)
	}
}

func newFiles(t *testing.T, dir string, o secrets.FileOptions) *secrets.FileProvider {
	t.Helper()
	p, err := secrets.NewFileProvider(dir, o)
	if err != nil {
		t.Fatalf("NewFileProvider: %v", err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return p
}

// readFile resolves the file name with p and returns its contents.
func readFile(t *testing.T, p secrets.Resolver, name string) (string, error) {
	t.Helper()
	res, err := p.Resolve(t.Context(), secretstest.Request(t, secrets.FileRef(name), secrets.Scope{Destination: "input:/0/key"}))
	return secretstest.Reveal(t, res), err
}

func TestFileProvider(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "secrets-directory")
	write(t, base, "outside", "hunter2")
	full := strings.Repeat("x", secrets.MaxValueSize)
	for name, contents := range map[string]string{
		"plain":          "hunter2",
		"sub/dir/plain":  "hunter2",
		"newline":        "hunter2\n",
		"crlf":           "hunter2\r\n",
		"two-newlines":   "hunter2\n\n",
		"cr":             "hunter2\r",
		"leading":        "\n hunter2 ",
		"binary":         "\x00\xff\n",
		"empty":          "",
		"only-newline":   "\n",
		"largest":        full,
		"largest-line":   full + "\n",
		"largest-crlf":   full + "\r\n",
		"too-large":      full + "x",
		"too-large-line": full + "x\n",
		"two-lines-more": full + "\n\n",
		"far-too-large":  full + full + full,
		"not-listed":     "hunter2",
	} {
		write(t, dir, name, contents)
	}

	listed := secrets.Names{
		"plain", "sub/dir/plain", "newline", "crlf", "two-newlines", "cr", "leading", "binary", "empty", "only-newline",
		"largest", "largest-line", "largest-crlf", "too-large", "too-large-line", "two-lines-more", "far-too-large",
		"missing", "missing/file", "plain/file", "sub",
	}
	provider := newFiles(t, dir, secrets.FileOptions{Allow: listed})
	keeping := newFiles(t, dir, secrets.FileOptions{Allow: secrets.AllowAll{}, KeepNewline: true})
	for _, tc := range []struct {
		name string
		want string
		err  error
		kept string // what a provider that keeps newlines gives, if something else
	}{
		{name: "plain", want: "hunter2"},
		{name: "sub/dir/plain", want: "hunter2"},
		{name: "newline", want: "hunter2", kept: "hunter2\n"},
		{name: "crlf", want: "hunter2", kept: "hunter2\r\n"},
		{name: "two-newlines", want: "hunter2\n", kept: "hunter2\n\n"},
		{name: "cr", want: "hunter2\r"},
		{name: "leading", want: "\n hunter2 "},
		{name: "binary", want: "\x00\xff", kept: "\x00\xff\n"},
		{name: "empty", err: secrets.ErrEmpty},
		{name: "only-newline", err: secrets.ErrEmpty, kept: "\n"},
		{name: "largest", want: full},
		{name: "largest-line", want: full},
		{name: "largest-crlf", want: full},
		{name: "too-large", err: secrets.ErrTooLarge},
		{name: "too-large-line", err: secrets.ErrTooLarge},
		{name: "two-lines-more", err: secrets.ErrTooLarge},
		{name: "far-too-large", err: secrets.ErrTooLarge},
		{name: "missing", err: secrets.ErrNotFound},
		{name: "missing/file", err: secrets.ErrNotFound},
		{name: "plain/file", err: secrets.ErrNotFound},
		{name: "sub", err: secrets.ErrDenied},
		{name: "not-listed", err: secrets.ErrDenied},
		{name: "", err: secrets.ErrInvalid},
		{name: ".", err: secrets.ErrInvalid},
		{name: "..", err: secrets.ErrInvalid},
		{name: "../outside", err: secrets.ErrInvalid},
		{name: "sub/../../outside", err: secrets.ErrInvalid},
		{name: "sub/../plain", err: secrets.ErrInvalid},
		{name: `..\outside`, err: secrets.ErrInvalid},
		{name: filepath.ToSlash(filepath.Join(dir, "plain")), err: secrets.ErrInvalid},
		{name: "plain\x00", err: secrets.ErrInvalid},
		{name: "{namespace}", err: secrets.ErrInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := readFile(t, provider, tc.name)
			if !errors.Is(err, tc.err) || got != tc.want {
				t.Errorf("Resolve gives %d bytes and %v, want %d bytes and %v", len(got), err, len(tc.want), tc.err)
			}
			if err != nil {
				if secrets.Retryable(err) {
					t.Errorf("%v is retryable", err)
				}
				for _, hidden := range []string{"hunter2", base, "secrets-directory"} {
					if strings.Contains(err.Error(), hidden) {
						t.Errorf("the error shows %q: %v", hidden, err)
					}
				}
			}
			if tc.kept != "" {
				if got, err := readFile(t, keeping, tc.name); got != tc.kept {
					t.Errorf("kept: Resolve gives %q, %v, want %q", got, err, tc.kept)
				}
			}
		})
	}
}

func TestFileProviderNeedsLeave(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "token", "hunter2")
	var zero secrets.FileProvider
	for name, p := range map[string]*secrets.FileProvider{
		"no list":       newFiles(t, dir, secrets.FileOptions{}),
		"empty list":    newFiles(t, dir, secrets.FileOptions{Allow: secrets.Names{}}),
		"zero provider": &zero,
	} {
		if got, err := readFile(t, p, "token"); !errors.Is(err, secrets.ErrDenied) || got != "" {
			t.Errorf("%s: %v, want ErrDenied", name, err)
		}
	}
	p := newFiles(t, dir, secrets.FileOptions{Allow: secrets.AllowAll{}})
	if got, err := readFile(t, p, "token"); got != "hunter2" || err != nil {
		t.Errorf("AllowAll: %v", err)
	}
	for name, tc := range map[string]struct {
		req  secrets.Request
		want error
	}{
		"not minted": {secrets.Request{Ref: secrets.FileRef("token")}, secrets.ErrNotMinted},
		"env":        {secretstest.Request(t, secrets.EnvRef("token"), secrets.Scope{}), secrets.ErrDenied},
	} {
		if _, err := p.Resolve(t.Context(), tc.req); !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Resolve(done, secretstest.Request(t, secrets.FileRef("token"), secrets.Scope{})); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	if err := zero.Close(); err != nil {
		t.Errorf("Close of the zero provider: %v", err)
	}
}

func TestFileProviderDirectory(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	write(t, base, "file", "hunter2")
	for name, want := range map[string]error{"missing-directory": secrets.ErrNotFound, "file": nil, "nul\x00": nil} {
		_, err := secrets.NewFileProvider(filepath.Join(base, name), secrets.FileOptions{})
		own := new(secrets.Error)
		if !errors.As(err, &own) || want != nil && !errors.Is(err, want) {
			t.Errorf("NewFileProvider of %q: %v, want %v", name, err, want)
			continue
		}
		if strings.Contains(err.Error(), base) || strings.Contains(err.Error(), "missing-directory") {
			t.Errorf("the error names the directory: %v", err)
		}
	}

	p, err := secrets.NewFileProvider(base, secrets.FileOptions{Allow: secrets.AllowAll{}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := readFile(t, p, "file"); !errors.Is(err, secrets.ErrUnavailable) {
		t.Errorf("after Close: %v, want ErrUnavailable", err)
	}
}

func TestFileProviderConcurrently(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a", "contents of a")
	write(t, dir, "b", "contents of b")
	p := newFiles(t, dir, secrets.FileOptions{Allow: secrets.Names{"a", "b"}})
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "a", "b"} {
		wg.Go(func() {
			for range 200 {
				if got, err := readFile(t, p, name); err != nil || got != "contents of "+name {
					t.Errorf("Resolve gives %q, %v", got, err)
				}
			}
		})
	}
	wg.Wait()
}
