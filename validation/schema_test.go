package validation_test

import (
	"encoding/json"
	"testing"

	"github.com/sandboxguard/sandboxguard/validation"
)

// TestSchema holds the checked-in schema against the loader's table of keys.
func TestSchema(t *testing.T) {
	schema := validation.Schema()
	golden(t, "policy.schema.json", schema)
	if !json.Valid(schema) {
		t.Error("the schema is not JSON")
	}
}
