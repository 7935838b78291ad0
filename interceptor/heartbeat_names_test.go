package interceptor_test

import (
	"errors"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// driver is a storage driver that is not asked for anything but its type.
type driver struct{ kind string }

func (driver) Name() string   { return "driver" }
func (d driver) Type() string { return d.kind }

func (driver) Store(converter.StorageDriverStoreContext, []*commonpb.Payload) ([]converter.StorageDriverClaim, error) {
	return nil, errors.New("nothing is stored")
}

func (driver) Retrieve(converter.StorageDriverRetrieveContext, []converter.StorageDriverClaim) ([]*commonpb.Payload, error) {
	return nil, errors.New("nothing was stored")
}

// TestNamesInHeartbeats: a worker that would tell a value in its heartbeats does not
// start, and the error does not say it.
func TestNamesInHeartbeats(t *testing.T) {
	other, err := temporal.NewSimplePlugin(temporal.SimplePluginOptions{Name: "p-" + canary})
	if err != nil {
		t.Fatal(err)
	}
	storage := converter.ExternalStorage{Drivers: []converter.StorageDriver{driver{canary}}}
	for _, test := range []struct {
		name, label string
		client      client.Options
		worker      worker.Options
	}{
		{"SDK name", "SdkName", client.Options{SdkName: "s-" + canary}, worker.Options{}},
		{"SDK version", "SdkVersion", client.Options{SdkVersion: canary}, worker.Options{}},
		{"plugin of the client", "plugin's name", client.Options{Plugins: []client.Plugin{other}}, worker.Options{}},
		{"plugin of the worker", "plugin's name", client.Options{}, worker.Options{Plugins: []worker.Plugin{other}}},
		{"storage driver", "storage driver's type", client.Options{ExternalStorage: storage}, worker.Options{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			opts := options(t, "")
			opts.Policies = policies(t, "default: {mode: report}\n")
			opts.Hidden = knowing(t, canary)
			p, err := guard.NewPlugin(opts)
			if err != nil {
				t.Fatal(err)
			}
			test.client.Plugins = append(test.client.Plugins, p)
			c, _ := dialClient(t, test.client)
			err = worker.New(c, testQueue, test.worker).Start()
			if err == nil || !strings.Contains(err.Error(), test.label) || strings.Contains(err.Error(), canary) {
				t.Errorf("the worker started with %v", err)
			}
		})
	}
}
