package samples

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"
)

const encodingEncrypted = "binary/encrypted"

// sealing is a payload codec that encrypts everything with AES-GCM.
type sealing struct{ aead cipher.AEAD }

// newSealing derives its key from a word. A real program would keep the key
// away from its source.
func newSealing(word string) sealing {
	key := sha256.Sum256([]byte(word))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err)
	}
	return sealing{aead: aead}
}

func (s sealing) Encode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	sealed := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		plain, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		nonce := make([]byte, s.aead.NonceSize())
		_, _ = rand.Read(nonce)
		sealed[i] = &commonpb.Payload{
			Metadata: map[string][]byte{converter.MetadataEncoding: []byte(encodingEncrypted)},
			Data:     s.aead.Seal(nonce, nonce, plain, nil),
		}
	}
	return sealed, nil
}

func (s sealing) Decode(payloads []*commonpb.Payload) ([]*commonpb.Payload, error) {
	opened := make([]*commonpb.Payload, len(payloads))
	for i, p := range payloads {
		if string(p.GetMetadata()[converter.MetadataEncoding]) != encodingEncrypted {
			opened[i] = p
			continue
		}
		if len(p.GetData()) < s.aead.NonceSize() {
			return nil, fmt.Errorf("sealed payload is too short")
		}
		nonce, text := p.GetData()[:s.aead.NonceSize()], p.GetData()[s.aead.NonceSize():]
		plain, err := s.aead.Open(nil, nonce, text, nil)
		if err != nil {
			return nil, err
		}
		opened[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(plain, opened[i]); err != nil {
			return nil, err
		}
	}
	return opened, nil
}

// Sealing returns the codec that the samples encrypt with, for programs that
// put it where the samples do not.
func Sealing() converter.PayloadCodec { return newSealing(word) }

// word is what the samples' key is made of.
const word = "a word for the samples only"

// sealedOptions encrypt payloads and failures on their way to the server.
func sealedOptions() client.Options {
	sealed := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), Sealing())
	return client.Options{
		DataConverter: sealed,
		FailureConverter: temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
			DataConverter: sealed, EncodeCommonAttributes: true,
		}),
	}
}

// courierBag passes a sealed letter through every kind of payload that workflow
// code writes.
func courierBag(ctx workflow.Context, letter map[string]any) (map[string]any, error) {
	ctx = quick(ctx)
	var stamped map[string]any
	if err := workflow.ExecuteActivity(ctx, stamp, letter).Get(ctx, &stamped); err != nil {
		return nil, err
	}
	var weight int
	err := workflow.SideEffect(ctx, func(workflow.Context) any { return 20 }).Get(&weight)
	if err != nil {
		return nil, err
	}
	stamped["weight"] = weight
	if err := workflow.UpsertMemo(ctx, map[string]any{"letter": stamped}); err != nil {
		return nil, err
	}
	var word string
	workflow.GetSignalChannel(ctx, "seal").Receive(ctx, &word)
	stamped["seal"] = word
	stamped["lost"] = workflow.ExecuteActivity(ctx, lose, stamped).Get(ctx, nil) != nil
	return stamped, nil
}

func stamp(_ context.Context, letter map[string]any) (map[string]any, error) {
	letter["stamped"] = true
	return letter, nil
}

func lose(_ context.Context, letter map[string]any) error {
	return temporal.NewNonRetryableApplicationError(fmt.Sprintf("letter to %v is lost", letter["to"]), "Lost", nil, letter)
}

func encryptionCodec() Sample {
	return Sample{
		Name:       "encryption-codec",
		Workflows:  workflows(courierBag),
		Activities: activities(stamp, lose),
		Client:     sealedOptions(),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, courierBag, map[string]any{"to": "Lin", "text": "see you on monday"})
			if err != nil {
				return Outcome{}, err
			}
			if err := e.signal(ctx, "seal", "wax"); err != nil {
				return Outcome{}, err
			}
			return outcome[map[string]any](ctx, run)
		},
		Want: `{"lost":true,"seal":"wax","stamped":true,"text":"see you on monday","to":"Lin","weight":20}`,
	}
}
