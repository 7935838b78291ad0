package connect

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
)

// Codec says which remote codec decodes payloads.
type Codec struct {
	server         *Server
	endpoint, auth string
}

// CodecFlags defines the flags of a Codec beside those of a server, whose namespace
// and profile it shares. It is complete when they are parsed.
func CodecFlags(flags *flag.FlagSet, server *Server) *Codec {
	c := &Codec{server: server}
	flags.StringVar(&c.endpoint, "codec-endpoint", "", "`URL` of a remote codec that decodes what is encrypted, {namespace} stands for the namespace (TEMPORAL_CODEC_ENDPOINT)")
	flags.StringVar(&c.auth, "codec-auth", "", "`AUTHORIZATION` for the remote codec; other users of the machine can see it, TEMPORAL_CODEC_AUTH they cannot")
	return c
}

// codecTimeout bounds one request to a codec.
const codecTimeout = 30 * time.Second

// PayloadCodec returns the remote codec that was asked for, nil when none was: by a
// flag, the variable or the profile. It decodes until ctx ends. The error never
// quotes the configuration.
func (c *Codec) PayloadCodec(ctx context.Context) (converter.PayloadCodec, error) {
	p, err := c.server.load()
	if err != nil {
		if c.endpoint == "" {
			return nil, nil // files need no configuration, and who connects meets the error again
		}
		return nil, err
	}
	endpoint, auth := c.endpoint, c.auth
	if p.Codec != nil {
		endpoint, auth = cmp.Or(endpoint, p.Codec.Endpoint), cmp.Or(auth, p.Codec.Auth)
	}
	if endpoint == "" {
		return nil, nil
	}
	namespace := cmp.Or(c.server.namespace, p.Namespace, client.DefaultNamespace)
	endpoint = strings.TrimSuffix(strings.ReplaceAll(endpoint, "{namespace}", url.PathEscape(namespace)), "/")
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("the endpoint of the remote codec must be an URL such as https://codec.example.com/{namespace}")
	}
	return converter.NewRemotePayloadCodec(converter.RemotePayloadCodecOptions{
		Endpoint: endpoint,
		Client:   http.Client{Timeout: codecTimeout},
		ModifyRequest: func(r *http.Request) error {
			*r = *r.WithContext(ctx)
			r.Header.Set("X-Namespace", namespace)
			if auth != "" {
				r.Header.Set("Authorization", auth)
			}
			return nil
		},
	}), nil
}
