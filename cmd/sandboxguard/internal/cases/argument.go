package cases

import (
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// The keys that stand for what a file cannot hold.
const (
	keySecret     = "$secret"
	keyCredential = "$credential"
)

// argument returns what a workflow would pass.
func argument(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.SequenceNode:
		return sequence(n)
	case yaml.MappingNode:
		return mapping(n)
	case yaml.ScalarNode:
		var v any
		if n.Tag == "!!timestamp" { // JSON has no times
			return n.Value, nil
		}
		if err := n.Decode(&v); err != nil {
			return nil, fmt.Errorf("line %d: must be a plain value", n.Line)
		}
		return v, nil
	}
	return nil, fmt.Errorf("line %d: must not be an alias", n.Line)
}

func sequence(n *yaml.Node) (any, error) {
	list := make([]any, 0, len(n.Content))
	for _, item := range n.Content {
		v, err := argument(item)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	if len(list) == 0 || !isTyped(list[0]) {
		return list, nil
	}
	typed := reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(list[0])), 0, len(list))
	for _, v := range list {
		if reflect.TypeOf(v) != reflect.TypeOf(list[0]) {
			return list, nil
		}
		typed = reflect.Append(typed, reflect.ValueOf(v))
	}
	return typed.Interface(), nil
}

// isTyped reports whether v is a secrets.Value or what was given a type because of
// one.
func isTyped(v any) bool {
	t := reflect.TypeOf(v)
	return t != nil && (t.Kind() == reflect.Struct || t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct)
}

func mapping(n *yaml.Node) (any, error) {
	if v, stands, err := standIn(n); stands {
		return v, err
	}
	m := map[string]any{}
	typed := false
	for k := 0; k+1 < len(n.Content); k += 2 {
		v, err := argument(n.Content[k+1])
		if err != nil {
			return nil, err
		}
		m[n.Content[k].Value] = v
		typed = typed || isTyped(v)
	}
	if typed {
		return structOf(n, m)
	}
	return m, nil
}

// standIn returns what {$secret: …} and {$credential: true} stand for.
func standIn(n *yaml.Node) (v any, stands bool, err error) {
	if len(n.Content) != 2 {
		return nil, false, nil
	}
	switch n.Content[0].Value {
	case keySecret:
		ref, err := secrets.ParseRef(n.Content[1].Value)
		if err != nil {
			return nil, true, fmt.Errorf("line %d: %s must be a reference such as env:NAME", n.Line, keySecret)
		}
		return secrets.From(ref), true, nil
	case keyCredential:
		if n.Content[1].Value != "true" {
			return nil, true, fmt.Errorf("line %d: %s must be true", n.Line, keyCredential)
		}
		return credential(), true, nil
	}
	return nil, false, nil
}

// credential makes up a text with the form of a GitHub token.
func credential() string {
	const length = 36
	return "ghp_" + (rand.Text() + rand.Text())[:length]
}

// structOf returns a struct with a field for each key, so that the fields of type
// secrets.Value are typed as they are in the workflow's code.
func structOf(n *yaml.Node, m map[string]any) (any, error) {
	var fields []reflect.StructField
	var values []any
	for k := 0; k+1 < len(n.Content); k += 2 {
		name := n.Content[k].Value
		if strconv.Quote(name) != `"`+name+`"` {
			return nil, errors.New("keys beside " + keySecret + " must be plain words")
		}
		typ := reflect.TypeFor[any]()
		if m[name] != nil {
			typ = reflect.TypeOf(m[name])
		}
		fields = append(fields, reflect.StructField{
			Name: "Field" + strconv.Itoa(k), Type: typ, Tag: reflect.StructTag(`json:"` + name + `"`),
		})
		values = append(values, m[name])
	}
	v := reflect.New(reflect.StructOf(fields)).Elem()
	for at, value := range values {
		if value != nil {
			v.Field(at).Set(reflect.ValueOf(value))
		}
	}
	return v.Interface(), nil
}
