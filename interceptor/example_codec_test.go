package interceptor_test

import (
	"fmt"

	"go.temporal.io/sdk/converter"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// With an encrypting data converter of one's own, the guard's net stands last in the
// list of codecs, where payloads are plain. It shares a set with the plugin:
// guard.Options{Hidden: hidden}.
func ExampleScanCodec() {
	hidden := redact.NewSet() // filled by the guard with what it resolves
	if err := hidden.Add("deploy", "current-token-5f1d0c7a"); err != nil {
		fmt.Println(err)
		return
	}
	encryption := reversing{}
	dc := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), encryption, guard.ScanCodec(hidden))

	payload, err := dc.ToPayload("leaked: current-token-5f1d0c7a")
	if err != nil {
		fmt.Println(err)
		return
	}
	var text string
	if err := dc.FromPayload(payload, &text); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(payload.GetMetadata()[converter.MetadataEncoding]))
	fmt.Println(text)
	// Output:
	// binary/encrypted
	// leaked: [redacted]
}
