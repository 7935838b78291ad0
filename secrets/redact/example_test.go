package redact_test

import (
	"errors"
	"fmt"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

func ExampleSet_String() {
	set := redact.NewSet()
	if err := set.Add("env:DEPLOY_TOKEN", "t0k3n-of-the-deploy-job"); err != nil {
		fmt.Println(err)
	}
	text, hits := set.String("curl -H 'Authorization: Bearer t0k3n-of-the-deploy-job' failed")
	fmt.Println(text)
	fmt.Println(hits)
	// Output:
	// curl -H 'Authorization: Bearer [redacted:env:DEPLOY_TOKEN]' failed
	// 1
}

func ExampleSet_JSON() {
	set := redact.NewSet()
	if err := set.Add("env:DB_PASSWORD", `cor"rect<horse>`); err != nil {
		fmt.Println(err)
	}
	out, _ := set.JSON([]byte(`{"stderr":"login with cor\"rect\u003chorse\u003e failed\n","raw":"cor\\\"rect<horse>"}`))
	fmt.Println(string(out))
	// Output:
	// {"stderr":"login with [redacted:env:DB_PASSWORD] failed\n","raw":"[redacted:env:DB_PASSWORD]"}
}

func ExampleSet_Add_short() {
	set := redact.NewSet()
	err := set.Add("env:PIN", "2741")
	fmt.Println(errors.Is(err, redact.ErrShort))

	if err := set.AddShort("env:PIN", "2741"); err != nil {
		fmt.Println(err)
	}
	text, _ := set.String("PIN 2741, invoice 127413")
	fmt.Println(text)
	// Output:
	// true
	// PIN [redacted:env:PIN], invoice 127413
}
