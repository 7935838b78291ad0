package connect

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// isolate takes the configuration of the machine away.
func isolate(t *testing.T) {
	t.Helper()
	for _, name := range []string{"TEMPORAL_CONFIG_FILE", "TEMPORAL_PROFILE"} {
		t.Setenv(name, "")
	}
	for _, name := range []string{"TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE", "TEMPORAL_API_KEY", "TEMPORAL_TLS", "TEMPORAL_CODEC_ENDPOINT", "TEMPORAL_CODEC_AUTH"} {
		if old, set := os.LookupEnv(name); set {
			t.Setenv(name, old) // puts it back at the end
			if err := os.Unsetenv(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
}

func server(t *testing.T, args ...string) *Server {
	t.Helper()
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	s := Flags(flags)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestOrder: flags go before variables, and variables before the profile.
func TestOrder(t *testing.T) {
	isolate(t)
	config := filepath.Join(t.TempDir(), "temporal.toml")
	profiles := "[profile.default]\naddress = \"default.example:1\"\n[profile.prod]\naddress = \"prod.example:1\"\nnamespace = \"orders\"\n"
	if err := os.WriteFile(config, []byte(profiles), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, env          string
		args               []string
		address, namespace string
	}{
		{"nothing", "", nil, "localhost:7233", "default"},
		{"default profile", "", []string{"--config-file", config}, "default.example:1", "default"},
		{"profile", "", []string{"--config-file", config, "--profile", "prod"}, "prod.example:1", "orders"},
		{"variable", "env.example:2", []string{"--config-file", config, "--profile", "prod"}, "env.example:2", "orders"},
		{"flag", "env.example:2", []string{"--address", "flag.example:3", "--namespace", "x"}, "flag.example:3", "x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.env != "" {
				t.Setenv("TEMPORAL_ADDRESS", test.env)
			}
			o, err := server(t, test.args...).Options()
			if err != nil {
				t.Fatal(err)
			}
			if o.HostPort != test.address || o.Namespace != test.namespace {
				t.Errorf("%s, %s; want %s, %s", o.HostPort, o.Namespace, test.address, test.namespace)
			}
			if o.ConnectionOptions.TLS != nil {
				t.Error("TLS without being asked for")
			}
		})
	}
}

func TestTLS(t *testing.T) {
	isolate(t)
	o, err := server(t, "--tls-server-name", "a.example", "--tls-disable-host-verification").Options()
	if err != nil {
		t.Fatal(err)
	}
	if c := o.ConnectionOptions.TLS; c == nil || c.ServerName != "a.example" || !c.InsecureSkipVerify {
		t.Errorf("TLS %+v", c)
	}
	if o, err = server(t, "--tls").Options(); err != nil || o.ConnectionOptions.TLS == nil || o.ConnectionOptions.TLS.InsecureSkipVerify {
		t.Errorf("with --tls: %+v, %v", o.ConnectionOptions.TLS, err)
	}
	t.Setenv("TEMPORAL_API_KEY", secretstest.Canary(t))
	if o, err = server(t).Options(); err != nil || o.ConnectionOptions.TLS == nil || o.Credentials == nil {
		t.Errorf("with an API key: %+v, %v", o.ConnectionOptions.TLS, err)
	}
}

// TestErrorsQuoteNothing: the configuration may hold an API key.
func TestErrorsQuoteNothing(t *testing.T) {
	isolate(t)
	canary := secretstest.Canary(t)
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "temporal.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, args := range map[string][]string{
		"not TOML":    {"--config-file", write("[profile.default]\napi_key = " + canary)},
		"no profile":  {"--config-file", write(""), "--profile", "prod"},
		"bad TLS":     {"--tls-cert-path", write(canary), "--tls-key-path", write(canary)},
		"only a cert": {"--tls-cert-path", write(canary)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := server(t, args...).Options()
			if err == nil {
				t.Fatal("no error")
			}
			secretstest.AssertAbsent(t, []string{canary}, []byte(err.Error()))
		})
	}
}
