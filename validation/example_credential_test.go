package validation_test

import (
	"fmt"

	"github.com/sandboxguard/sandboxguard/validation"
)

func ExampleDetectCredentials() {
	token := "ghp_" + "R8x2Qm4Zt7Lw0Kd5Vb" + "1Yc3Ns6Pf9Hj2AgTuE" // in the form of a GitHub token
	text := `git clone https://x-access-token:` + token + `@github.com/acme/app`
	for _, f := range validation.DetectCredentials(text) {
		fmt.Println(f.Kind, "at", f.Start)
	}
	// Output:
	// GitHub token at 33
}

func ExampleDetectNamed() {
	const value = "x7Kq2mVb9RtLw4Zs"
	fmt.Println(validation.DetectNamed("release", value))
	fmt.Println(validation.DetectNamed("dbPassword", value))
	fmt.Println(validation.DetectNamed("dbPassword", "${DB_PASSWORD}"))
	// Output:
	// []
	// [{random secret 0 16}]
	// []
}
