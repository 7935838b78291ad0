package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/interceptor/zapguard"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// measured is a shape with all that its pairs call.
type measured struct {
	shape
	at     attempts
	logger *zap.Logger
	echo   string // one of the values that the worker knows
}

// known returns a set of n values.
func known(n int) (*redact.Set, error) {
	set := redact.NewSet()
	for name, value := range values(n) {
		if err := set.Add(name, value); err != nil {
			return nil, err
		}
	}
	return set, nil
}

// prepare calls f with the shape inside an activity.
func (s shape) prepare(f func(measured) error) error {
	set, err := known(s.secrets)
	if err != nil {
		return err
	}
	core := zapguard.NewCore(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(io.Discard), zapcore.InfoLevel), set)
	return inActivity(policy(s.refs), set, values(s.secrets), func(a attempts) error {
		return f(measured{shape: s, at: a, logger: zap.New(core), echo: values(s.secrets)["env:"+variable(0)]})
	})
}

// guarded is one attempt and one log line, with nothing of the SDK's.
func (m measured) guarded() {
	out, err := m.at.run(m.args, func([]any) (any, error) { return m.result, nil })
	if err != nil || out == nil {
		panic(fmt.Sprintf("%s: %v", m.name, err)) // check has passed before
	}
	line(m.logger)
}

// line logs what a worker logs most.
func line(logger *zap.Logger) {
	logger.Info("activity completed", zap.String("ActivityType", "StartJob"), zap.String("WorkflowID", "anomaly-report-2026-10"),
		zap.String("RunID", "0d9b7f5e-6f0c-4f9a-8a53-2f6f4a3c9b10"), zap.Int("Attempt", 1), zap.Int64("Bytes", 1234567), zap.Bool("Local", false))
}

// check says what the guard did not do: without it, doing nothing would win.
func (m measured) check() error {
	before, err := json.Marshal(m.args)
	if err != nil {
		return err
	}
	var got []any
	out, err := m.at.run(m.args, func(args []any) (any, error) {
		got = args
		return map[string]any{"stdout": strings.Repeat("x", 100) + m.echo + strings.Repeat("y", 100)}, nil
	})
	if err != nil {
		return err
	}
	after, err := json.Marshal(m.args)
	if err != nil {
		return err
	}
	if !slices.Equal(before, after) {
		return fmt.Errorf("%s: the arguments were changed in place", m.name)
	}
	if encoded, err := json.Marshal(out); err != nil || strings.Contains(string(encoded), m.echo) || !strings.Contains(string(encoded), "[redacted") {
		return fmt.Errorf("%s: a planted value came back: %w", m.name, err)
	}
	if m.refs == 0 {
		return nil
	}
	env := got[0].(sandbox.Manifest).Environment.Values
	resolved := 0
	for name, v := range env {
		if text, err := v.Secret.Reveal(); err == nil && text == values(m.secrets)["env:"+name] {
			resolved++
		}
	}
	if resolved != m.refs {
		return fmt.Errorf("%s: %d of %d references were injected", m.name, resolved, m.refs)
	}
	return nil
}

// jsonWork is what the SDK does for the same activity: it decodes the arguments
// and encodes the result.
func (m measured) jsonWork() (func(), error) {
	var inputs [][]byte
	var types []reflect.Type
	for _, a := range m.args {
		data, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		inputs, types = append(inputs, data), append(types, reflect.TypeOf(a))
	}
	return func() {
		for i, data := range inputs {
			if err := json.Unmarshal(data, reflect.New(types[i]).Interface()); err != nil {
				panic(err) // our own data
			}
		}
		if _, err := json.Marshal(m.result); err != nil {
			panic(err)
		}
	}, nil
}

// cipherWork is what an encrypting codec does for it.
func (m measured) cipherWork() (func(), error) {
	args, err := newSealer()
	if err != nil {
		return nil, err
	}
	result, err := newSealer()
	if err != nil {
		return nil, err
	}
	var inputs [][]byte
	for _, a := range m.args {
		data, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, slices.Clone(args.seal(data)))
	}
	output, err := json.Marshal(m.result)
	if err != nil {
		return nil, err
	}
	return func() {
		for _, data := range inputs {
			args.open(data)
		}
		result.seal(output)
	}, nil
}
