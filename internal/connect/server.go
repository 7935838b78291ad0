package connect

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/retry"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Server says which server and namespace to use. There is no flag for the API key,
// since other users of a machine can see the arguments of a process: it comes from
// TEMPORAL_API_KEY or the profile.
type Server struct {
	address, namespace, profile, config string
	tls                                 bool
	cert, key, ca, name                 string
	insecure                            bool
}

// Flags defines the flags of a Server, which is complete when they are parsed.
func Flags(flags *flag.FlagSet) *Server {
	c := &Server{}
	flags.StringVar(&c.address, "address", "", "`HOST:PORT` of the server (TEMPORAL_ADDRESS)")
	flags.StringVar(&c.namespace, "namespace", "", "the `NAMESPACE` (TEMPORAL_NAMESPACE)")
	flags.StringVar(&c.profile, "profile", "", "the `PROFILE` of the configuration file (TEMPORAL_PROFILE)")
	flags.StringVar(&c.config, "config-file", "", "the configuration `FILE` (TEMPORAL_CONFIG_FILE)")
	flags.BoolVar(&c.tls, "tls", false, "use TLS (TEMPORAL_TLS)")
	flags.StringVar(&c.cert, "tls-cert-path", "", "`FILE` of the client's certificate (TEMPORAL_TLS_CLIENT_CERT_PATH)")
	flags.StringVar(&c.key, "tls-key-path", "", "`FILE` of the client's private key (TEMPORAL_TLS_CLIENT_KEY_PATH)")
	flags.StringVar(&c.ca, "tls-ca-path", "", "`FILE` of the server's CA certificate (TEMPORAL_TLS_SERVER_CA_CERT_PATH)")
	flags.StringVar(&c.name, "tls-server-name", "", "the `NAME` that the server's certificate must have (TEMPORAL_TLS_SERVER_NAME)")
	flags.BoolVar(&c.insecure, "tls-disable-host-verification", false, "do not verify the server's certificate (TEMPORAL_TLS_DISABLE_HOST_VERIFICATION)")
	return c
}

// errConfig is the error of a configuration that cannot be read. It never quotes
// the configuration, which may hold an API key.
var errConfig = errors.New("the Temporal configuration cannot be read: is the file TOML, do TEMPORAL_* variables have the right form?")

// load reads the profile.
func (c *Server) load() (envconfig.ClientConfigProfile, error) {
	p, err := envconfig.LoadClientConfigProfile(envconfig.LoadClientConfigProfileOptions{
		ConfigFilePath: c.config, ConfigFileProfile: c.profile,
	})
	switch {
	case err == nil:
		return p, nil
	case strings.Contains(err.Error(), "unable to find profile"):
		return p, errors.New("the configuration file has no such profile")
	}
	return p, errConfig
}

// Options returns the options of the client. Without an address they name the
// default one, and without a namespace "default". The error never quotes the
// configuration, which may hold an API key.
func (c *Server) Options() (client.Options, error) {
	p, err := c.load()
	if err != nil {
		return client.Options{}, err
	}
	set := func(to *string, flag string) {
		if flag != "" {
			*to = flag
		}
	}
	set(&p.Address, c.address)
	set(&p.Namespace, c.namespace)
	if c.tls || c.cert != "" || c.key != "" || c.ca != "" || c.name != "" || c.insecure {
		if p.TLS == nil {
			p.TLS = &envconfig.ClientConfigTLS{}
		}
		p.TLS.Disabled = false
		set(&p.TLS.ClientCertPath, c.cert)
		set(&p.TLS.ClientKeyPath, c.key)
		set(&p.TLS.ServerCACertPath, c.ca)
		set(&p.TLS.ServerName, c.name)
		p.TLS.DisableHostVerification = p.TLS.DisableHostVerification || c.insecure
	}
	o, err := p.ToClientOptions(envconfig.ToClientOptionsRequest{})
	if err != nil {
		return client.Options{}, errors.New("the TLS configuration cannot be used: certificate and key must both be there and belong together, and all files be in PEM form")
	}
	if o.ConnectionOptions.TLS != nil {
		o.ConnectionOptions.TLS.MinVersion = tls.VersionTLS12
	}
	if o.HostPort == "" {
		o.HostPort = client.DefaultHostPort
	}
	if o.Namespace == "" {
		o.Namespace = client.DefaultNamespace
	}
	o.Identity = "sandboxguard"
	// A namespace has limits for what is asked of it, and a scan asks much.
	o.ConnectionOptions.DialOptions = append(o.ConnectionOptions.DialOptions, grpc.WithChainUnaryInterceptor(retry.UnaryClientInterceptor(
		retry.WithCodes(codes.ResourceExhausted), retry.WithMax(patience), retry.WithBackoff(retry.BackoffExponentialWithJitter(firstWait, 0.2)),
	)))
	o.Logger = log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))
	return o, nil
}

const (
	// patience is how often a call is sent that the server has no room for.
	patience = 8
	// firstWait is waited before the second time, and twice as long before each next one.
	firstWait = 100 * time.Millisecond
)

// Dial connects. It returns the options as well, for messages.
func (c *Server) Dial(ctx context.Context) (client.Client, client.Options, error) {
	o, err := c.Options()
	if err != nil {
		return nil, o, err
	}
	connected, err := client.DialContext(ctx, o)
	if s, ok := status.FromError(err); ok && err != nil {
		err = errors.New(s.Message())
	}
	return connected, o, err
}
