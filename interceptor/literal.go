package interceptor

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// cleanJSONLiterals hides credential-looking text in the string leaves and keys
// of a JSON text and returns how much it hid. Text that is not JSON is returned
// as it is: [cleaner.text] deals with text.
func cleanJSONLiterals(data []byte) ([]byte, int) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var tree any
	if dec.Decode(&tree) != nil {
		return data, 0
	}
	hits := 0
	tree = hideLiterals(tree, &hits)
	if hits == 0 {
		return data, 0
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if enc.Encode(tree) != nil {
		return []byte(`"` + literalMarker + `"`), hits
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), hits
}

func hideLiterals(v any, hits *int) any {
	switch x := v.(type) {
	case string:
		out, n := hideLiteral(x)
		*hits += n
		return out
	case []any:
		for i := range x {
			x[i] = hideLiterals(x[i], hits)
		}
	case map[string]any:
		for k, e := range x {
			x[k] = hideLiterals(e, hits)
			if nk := hideLiterals(k, hits).(string); nk != k {
				moved := x[k]
				delete(x, k)
				for n := 2; x[nk] != nil; n++ {
					nk = literalMarker + "#" + strconv.Itoa(n)
				}
				x[nk] = moved
			}
		}
	}
	return v
}
