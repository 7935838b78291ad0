package scan_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	commonpb "go.temporal.io/api/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// flipped stands for a remote codec with one key: it inverts the bits of a payload.
type flipped struct{ broken bool }

func flip(data []byte) []byte {
	out := bytes.Clone(data)
	for i := range out {
		out[i] ^= 0xff
	}
	return out
}

func (f flipped) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		data, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		out[i] = &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("binary/flipped"), "key": []byte("k1")}, Data: flip(data)}
	}
	return out, nil
}

func (f flipped) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	if f.broken {
		return payloads, errors.New("not with " + githubToken)
	}
	out := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		out[i] = p
		if string(p.GetMetadata()["key"]) != "k1" {
			continue
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(flip(p.GetData()), out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sealed is what the codec makes of a payload, as protobuf writes it in JSON.
func sealed(tb testing.TB, encoding, data string) string {
	tb.Helper()
	out, err := flipped{}.Encode([]*commonpb.Payload{{Metadata: map[string][]byte{"encoding": []byte(encoding)}, Data: []byte(data)}})
	if err != nil {
		tb.Fatal(err)
	}
	return `{"metadata":{"encoding":"` + b64("binary/flipped") + `","key":"` + b64("k1") + `"},"data":"` + b64(string(out[0].GetData())) + `"}`
}

func readWith(tb testing.TB, codec flipped, docs string) scan.Report {
	tb.Helper()
	s := scan.New()
	s.Decode(codec)
	if err := s.Documents("", strings.NewReader(docs)); err != nil {
		tb.Fatal(err)
	}
	return s.Report()
}

// TestCodec: what a codec decodes is looked into as if it had never been encoded.
func TestCodec(t *testing.T) {
	t.Parallel()
	secret := `{"token":"` + githubToken + `"}`
	for name, test := range map[string]struct{ payload, path string }{
		"payload":             {sealed(t, "json/plain", secret), "/token"},
		"named JSON":          {strings.Replace(sealed(t, "json/plain", secret), b64("binary/flipped"), b64("json/flipped"), 1), "/token"},
		"compressed in it":    {sealed(t, "binary/plain", gzipped(secret)), "/(gzip)/(text)/token"},
		"payload in its data": {sealed(t, "json/plain", `{"p":`+sealed(t, "json/plain", secret)+`}`), "/p/token"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := readWith(t, flipped{}, history("w", scheduled(test.payload)))
			want := map[string][]string{"github-token": {"ActivityTaskScheduled PushTag input/0" + test.path}}
			if diff := cmp.Diff(want, places(r)); diff != "" || !r.Complete {
				t.Errorf("complete %v, %v, places (-want +got):\n%s", r.Complete, r.NotScanned, diff)
			}
		})
	}
}

// TestCodecThatDoesNotDecode: neither a codec that fails nor one that has no such key
// makes a scan complete, and its words are not repeated.
func TestCodecThatDoesNotDecode(t *testing.T) {
	t.Parallel()
	docs := history("w", scheduled(sealed(t, "json/plain", `{"token":"`+githubToken+`"}`)))
	r := readWith(t, flipped{broken: true}, docs)
	if r.Complete || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "remote codec") {
		t.Errorf("complete %v, problems %v", r.Complete, r.Problems)
	}
	absent(t, r)
	r = readWith(t, flipped{}, strings.Replace(docs, b64("k1"), b64("k2"), 1))
	if diff := cmp.Diff([]scan.NotScanned{{Reason: "encoding binary/flipped", Count: 1}}, r.NotScanned); diff != "" || len(r.Problems) > 0 {
		t.Errorf("problems %v, not scanned (-want +got):\n%s", r.Problems, diff)
	}
}
