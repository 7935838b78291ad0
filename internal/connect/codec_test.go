package connect

import (
	"context"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

func codecOf(t *testing.T, args ...string) *Codec {
	t.Helper()
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	c := CodecFlags(flags, Flags(flags))
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCodecOrder: flags go before variables, variables before the profile, each for
// itself, and the codec is asked as Temporal's command line asks it.
func TestCodecOrder(t *testing.T) {
	isolate(t)
	var asked http.Header
	var path string
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, path = r.Header, r.URL.Path
		converter.NewPayloadCodecHTTPHandler(converter.NewZlibCodec(converter.ZlibCodecOptions{})).ServeHTTP(w, r)
	}))
	t.Cleanup(remote.Close)
	config := filepath.Join(t.TempDir(), "temporal.toml")
	text := "[profile.default]\nnamespace = \"orders\"\n[profile.default.codec]\nendpoint = \"" + remote.URL + "/profile/{namespace}/\"\nauth = \"of the profile\"\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name           string
		env            [2]string // endpoint and auth
		args           []string
		path, auth, ns string
	}{
		{"profile", [2]string{}, nil, "/profile/orders/decode", "of the profile", "orders"},
		{"variables", [2]string{remote.URL + "/env", "of the variable"}, nil, "/env/decode", "of the variable", "orders"},
		{"flags", [2]string{remote.URL + "/env", "of the variable"}, []string{"--codec-endpoint", remote.URL + "/flag", "--codec-auth", "of the flag"}, "/flag/decode", "of the flag", "orders"},
		{"flag and variable", [2]string{"", "of the variable"}, []string{"--codec-endpoint", remote.URL + "/{namespace}", "--namespace", "a b"}, "/a b/decode", "of the variable", "a b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i, name := range []string{"TEMPORAL_CODEC_ENDPOINT", "TEMPORAL_CODEC_AUTH"} {
				if test.env[i] != "" {
					t.Setenv(name, test.env[i])
				}
			}
			c, err := codecOf(t, append(test.args, "--config-file", config)...).PayloadCodec(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Decode([]*commonpb.Payload{{}}); err != nil {
				t.Fatal(err)
			}
			if path != test.path || asked.Get("Authorization") != test.auth || asked.Get("X-Namespace") != test.ns {
				t.Errorf("asked %q with %q for %q, want %q, %q, %q", path, asked.Get("Authorization"), asked.Get("X-Namespace"), test.path, test.auth, test.ns)
			}
		})
	}
}

// TestCodecOfNobody: none is asked for, or there is no configuration to say so.
func TestCodecOfNobody(t *testing.T) {
	isolate(t)
	broken := filepath.Join(t.TempDir(), "temporal.toml")
	if err := os.WriteFile(broken, []byte("="), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"--config-file", broken}} {
		if c, err := codecOf(t, args...).PayloadCodec(t.Context()); c != nil || err != nil {
			t.Errorf("%v: codec %v, error %v", args, c, err)
		}
	}
}

// TestCodecErrors say what is wrong and not what the configuration is.
func TestCodecErrors(t *testing.T) {
	isolate(t)
	secret := secretstest.Canary(t)
	broken := filepath.Join(t.TempDir(), "temporal.toml")
	if err := os.WriteFile(broken, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--codec-endpoint", "codec.example.com/" + secret}, "must be an URL"},
		{[]string{"--codec-endpoint", "ftp://" + secret}, "must be an URL"},
		{[]string{"--codec-endpoint", "http://codec.example.com", "--config-file", broken}, "cannot be read"},
	} {
		_, err := codecOf(t, test.args...).PayloadCodec(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Fatalf("error %v, want one with %q", err, test.want)
		}
		secretstest.AssertAbsent(t, []string{secret}, []byte(err.Error()))
	}
}

// TestCodecEndsWithItsContext: an interrupted scan waits for no codec.
func TestCodecEndsWithItsContext(t *testing.T) {
	isolate(t)
	ctx, cancel := context.WithCancel(t.Context())
	remote := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that the client is gone
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(remote.Close)
	c, err := codecOf(t, "--codec-endpoint", remote.URL).PayloadCodec(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Decode([]*commonpb.Payload{{}}); err == nil {
		t.Error("decoded without an answer")
	}
}
