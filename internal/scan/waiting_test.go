package scan

import "testing"

// TestNothingNestedIsHeld: what is held is looked at twice, so it must not hold others
// that are held, or deep nesting would cost the depth times the size.
func TestNothingNestedIsHeld(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, value string
		want        bool
	}{
		{"data", `"eA=="`, true},
		{"data", `{"data":"eA=="}`, false},
		{"data", `["eA=="]`, false},
		{"metadata", `{"encoding":"eA==","n":1}`, true},
		{"metadata", `{"encoding":"eA==","metadata":{}}`, false},
		{"metadata", `{"encoding":["eA=="]}`, false},
		{"externalPayloads", `[{"sizeBytes":"9"},{}]`, true},
		{"externalPayloads", `[{"externalPayloads":[]}]`, false},
		{"externalPayloads", `[[]]`, false},
		{"value", `"x"`, true},
		{"value", `{"value":"x"}`, false},
		{"other", `"x"`, false},
	} {
		c := cursor{s: test.value + ","}
		var o waiting
		if got := o.hold(&c, test.name); got != test.want || got != (c.at == len(test.value)) {
			t.Errorf("hold of %s %s = %v at %d, want %v", test.name, test.value, got, c.at, test.want)
		}
	}
}
