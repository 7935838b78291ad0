package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// seal stands for a codec with a key: it inverts the bits of a payload.
type seal struct{}

func invert(data []byte) []byte {
	out := bytes.Clone(data)
	for i := range out {
		out[i] ^= 0xff
	}
	return out
}

func sealed(p *commonpb.Payload) *commonpb.Payload {
	data, err := proto.Marshal(p)
	if err != nil {
		panic(err)
	}
	return &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("binary/sealed")}, Data: invert(data)}
}

func (seal) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) { return payloads, nil }

func (seal) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(invert(p.GetData()), out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// remoteCodec starts a codec that asks for an authorization.
func remoteCodec(t *testing.T) (endpoint string) {
	t.Helper()
	handler := converter.NewPayloadCodecHTTPHandler(seal{})
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer it" {
			http.Error(w, "not with "+githubToken, http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(remote.Close)
	return remote.URL
}

// TestScanWithARemoteCodec looks into what is encrypted, in files and on a server.
func TestScanWithARemoteCodec(t *testing.T) {
	address := serve(t, &temporal{packed: true})
	endpoint := remoteCodec(t)
	file := filepath.Join(t.TempDir(), "memo.json")
	data := `{"metadata":{"encoding":"` + b64("binary/sealed") + `"},"data":"` + b64(string(sealed(plain(`"`+githubToken+`"`)).GetData())) + `"}`
	if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	namespace := []string{"--query", "", "--address", address, "--activities=false"}
	for _, test := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"file", []string{file, "--codec-endpoint", endpoint, "--codec-auth", "Bearer it"}, exitFound, "1 credential"},
		{"file, no codec", []string{file}, exitPartial, "not looked into: encoding binary/sealed, once"},
		{"file, not authorized", []string{file, "--codec-endpoint", endpoint, "--allow-unscanned"}, exitPartial, "the remote codec did not decode a payload"},
		{"file, no URL", []string{file, "--codec-endpoint", "codec"}, exitPartial, ""},
		{"server", append(namespace, "--codec-endpoint", endpoint, "--codec-auth", "Bearer it"), exitFound, "schedule memo/m, 2 times"},
		{"server, no codec", namespace, exitPartial, "not looked into: encoding binary/sealed, 2 times"},
	} {
		t.Run(test.name, func(t *testing.T) {
			code, stdout, _ := sandboxguard(t.Context(), t, append([]string{"scan"}, test.args...)...)
			if code != test.code || !strings.Contains(stdout, test.want) {
				t.Errorf("code %d, want %d and %q in\n%s", code, test.code, test.want, stdout)
			}
		})
	}
}
