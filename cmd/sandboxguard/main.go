// Command sandboxguard finds credentials in Temporal histories, and checks, tests
// and explains policy files. "sandboxguard help" lists its commands, each of which
// has the flag -h.
//
//	sandboxguard scan history.json
//	sandboxguard scan --query 'ExecutionStatus = "Running"'
//	sandboxguard policy check policy.yaml --within 14d
//	sandboxguard policy test policy.yaml --cases cases.yaml
//	sandboxguard policy explain policy.yaml --queue deploys --activity PushTag
//	sandboxguard doctor --policy policy.yaml
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func main() {
	local.Init() // doctor tries the launchers of local sandboxes
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
