package validation

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// digestLength is the number of hex digits of a digest: enough to tell the
// policies of a fleet apart in records, and no proof of anything.
const digestLength = 8

// digest returns the digest of a canonical form.
func digest(canonical any) string {
	data, err := json.Marshal(canonical)
	if err != nil {
		return "" // unreachable: canonical forms are maps, lists and strings
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:digestLength]
}

// canonical returns v without layout, comments and order: maps, whose keys are
// encoded in order, sorted lists, and the texts of scalars. It covers whatever
// the table accepts, so no key can be forgotten. Lists are sorted because each of
// them is a set in this format.
func (v *value) canonical() any {
	switch {
	case v == nil:
		return nil
	case v.fields != nil:
		m := make(map[string]any, len(v.fields))
		for key, child := range v.fields {
			m[key] = child.canonical()
		}
		return m
	case v.items != nil:
		list := make([]json.RawMessage, 0, len(v.items))
		for _, item := range v.items {
			data, err := json.Marshal(item.canonical())
			if err != nil {
				continue // unreachable, see digest
			}
			list = append(list, data)
		}
		slices.SortFunc(list, func(a, b json.RawMessage) int { return strings.Compare(string(a), string(b)) })
		return list
	}
	return v.text
}

// queueDigest returns the digest of an entry together with the secrets that it
// grants, so that a moved reference shows in it.
func queueDigest(entry string, v, secretSection *value) string {
	granted := map[string]any{}
	for _, g := range v.list("grants") {
		if name := g.str("secret"); name != "" {
			granted[name] = secretSection.get(name).canonical()
		}
	}
	return digest(map[string]any{"entry": entry, "policy": v.canonical(), "secrets": granted})
}
