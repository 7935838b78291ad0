package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
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
func (s shape) prepare(literals string, sink audit.Sink, f func(measured) error) error {
	set, err := known(s.secrets)
	if err != nil {
		return err
	}
	with := setting{policy: policy(s.refs, literals), hidden: set, values: values(s.secrets), sink: sink}
	return with.inActivity(func(a attempts) error {
		return f(measured{shape: s, at: a, logger: zap.New(guardedCore(set)), echo: values(s.secrets)["env:"+variable(0)]})
	})
}

// attemptItems are the headline and what stands beside it.
func attemptItems(r *report) error {
	var toJSON, toCipher []ratio
	for _, s := range shapes() {
		err := s.prepare("off", audit.Discard(), func(m measured) error {
			if err := m.check(m.parted); err != nil {
				return err
			}
			json, err := m.jsonWork()
			if err != nil {
				return err
			}
			cipher, err := m.cipherWork()
			if err != nil {
				return err
			}
			do := m.calls(m.parted)
			if r.wants("P1") {
				toJSON = append(toJSON, r.measure(pair{id: "P1", name: m.name + "/JSON", candidate: do, yardstick: json, bar: m.ceiling, weight: 3}))
			}
			if r.wants("P2") {
				p := pair{id: "P2", name: m.name + "/AES-GCM", candidate: do, yardstick: cipher, weight: 2}
				if m.name == "bytes1M" {
					p.bar = 1
				}
				toCipher = append(toCipher, r.measure(p))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if !r.wants("P1") {
			continue
		}
		for _, literals := range []string{"off", "enforce"} {
			err := s.prepare(literals, willing, func(m measured) error {
				if err := m.check(m.whole); err != nil {
					return err
				}
				json, err := m.jsonWork()
				if err != nil {
					return err
				}
				r.measure(pair{id: "P1w", name: m.name + " whole, literals " + literals, candidate: m.calls(m.whole), yardstick: json})
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	if len(toJSON) > 0 {
		r.lead(outcome{id: "P1", name: "geometric mean", got: geometric(toJSON), bar: 0.15, goal: 0.10})
	}
	if len(toCipher) > 0 {
		r.add(outcome{id: "P2", name: "geometric mean", got: geometric(toCipher), bar: 1})
	}
	return nil
}

// attempt is one way to make an attempt whose activity returns a result.
type attempt func(args []any, result any) (got []any, out any, err error)

// parted does what is promised, and no more.
func (m measured) parted(args []any, result any) ([]any, any, error) { return m.at.parts(args, result) }

// whole does everything that the guard does.
func (m measured) whole(args []any, result any) (got []any, out any, err error) {
	out, err = m.at.run(args, func(given []any) (any, error) {
		got = given
		return result, nil
	})
	return got, out, err
}

// calls makes an attempt and logs a line.
func (m measured) calls(do attempt) func() {
	return func() {
		if _, out, err := do(m.args, m.result); err != nil || out == nil {
			panic(fmt.Sprintf("%s: %v", m.name, err)) // check has passed before
		}
		line(m.logger)
	}
}

// check says what the guard did not do: without it, doing nothing would win.
func (m measured) check(do attempt) error {
	before, err := json.Marshal(m.args)
	if err != nil {
		return err
	}
	got, out, err := do(m.args, map[string]any{"stdout": strings.Repeat("x", 100) + m.echo + strings.Repeat("y", 100)})
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
	encoded, err := json.Marshal(out)
	if err != nil {
		return err
	}
	if strings.Contains(string(encoded), m.echo) || !strings.Contains(string(encoded), "[redacted") {
		return fmt.Errorf("%s: a planted value came back", m.name)
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
