package validation

import (
	"bytes"
	"encoding/json"
)

//go:generate go test -run "^(TestSchema|TestKeyTable|TestMessages)$" -update .

// Schema returns the JSON Schema (draft 2020-12) of the policy file, for editors
// and for checks outside of Go; it is checked in as policy.schema.json. The
// loader is stricter: it also judges what a schema cannot express, such as names
// that point nowhere.
func Schema() []byte {
	root := fileShape().schema()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "sandboxguard policy file"
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(root); err != nil {
		return nil // unreachable: maps, lists and texts
	}
	return b.Bytes()
}

// schema returns what s means in JSON Schema.
func (s *shape) schema() map[string]any {
	switch s.kind {
	case kindObject:
		properties, required := map[string]any{}, []string{}
		for _, f := range s.fields {
			properties[f.name] = f.schema()
			if f.required {
				required = append(required, f.name)
			}
		}
		m := map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
		if len(required) > 0 {
			m["required"] = required
		}
		return m
	case kindMap:
		return map[string]any{
			"type":                 "object",
			"propertyNames":        map[string]any{"pattern": s.key.pattern},
			"additionalProperties": s.item.schema(),
		}
	case kindList:
		return map[string]any{"type": "array", "items": s.item.schema()}
	case kindEnum:
		return map[string]any{"enum": s.words}
	case kindString:
		return s.format.schema()
	case kindDuration:
		return formatDuration.schema()
	case kindSize:
		number := map[string]any{"type": "integer", "minimum": 1, "maximum": s.max}
		return map[string]any{"anyOf": []any{number, formatSize.schema()}}
	case kindDate:
		return map[string]any{"type": "string", "format": "date"}
	case kindBool:
		return map[string]any{"type": "boolean"}
	case kindInteger:
		return map[string]any{"type": "integer", "minimum": s.min, "maximum": s.max}
	case kindDecimal:
		return map[string]any{"type": "number", "minimum": leastDecimal, "maximum": s.max}
	case kindVersion:
		return map[string]any{"const": 1}
	}
	return nil
}

// schema returns a field's schema. A key of a later version is described, and
// nothing satisfies it.
func (f field) schema() map[string]any {
	if f.later != "" {
		return map[string]any{"description": f.doc + " Not in this version: it comes with " + f.later + ".", "not": map[string]any{}}
	}
	m := f.shape.schema()
	m["description"] = f.doc
	return m
}

func (f *format) schema() map[string]any {
	m := map[string]any{"type": "string"}
	if f.pattern != "" {
		m["pattern"] = f.pattern
	} else {
		m["minLength"] = 1
	}
	return m
}
