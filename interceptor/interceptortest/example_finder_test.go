package interceptortest_test

import (
	"encoding/base64"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"

	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
)

// Without a server, ask about the messages that you have.
func ExampleFinder_Message() {
	token := "a token" + " of 20 bytes"
	message := &commonpb.Payload{Data: []byte(`{"auth":"` + base64.StdEncoding.EncodeToString([]byte("user:"+token)) + `"}`)}

	for _, place := range interceptortest.NewFinder([]string{token}).Message(message) {
		fmt.Println(place)
	}
	// Output: data (base64)
}
