package interceptor

import (
	"bytes"
	"encoding/base64"
	"reflect"
	"strings"
	"unicode/utf8"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// literalMarker stands where text with the form of a credential was, that no
// resolver of this worker knows.
const literalMarker = "[redacted:literal]"

// A cleaner hides values that the worker knows and, where policy enforces
// literals, text with the form of a credential.
type cleaner struct {
	hidden   *redact.Set
	literals bool
	// as says which names markers show: those of what a job was given, where the job
	// can read them, or all of them, where only an operator can. nil shows none.
	as markers
	// rebuild is 1 where every level of an error is made anew, whether or not there
	// is something to hide.
	rebuild int
}

// markers puts a marker in each place where a value stands. A [redact.Set] names
// every value, a [redact.Holder] those that it was given.
type markers interface {
	String(s string) (out string, hits int)
	Bytes(b []byte) (out []byte, hits int)
	JSON(data []byte) (out []byte, hits int)
}

// nameless returns what cleans output of which nobody knows whose it is.
func (g *guard) nameless() cleaner { return cleaner{hidden: g.hidden, as: g.nobody} }

// cleaner returns what cleans output of a job that stands in a queue's history.
func (g *guard) cleaner(namespace, queue string, as *redact.Holder) cleaner {
	c := cleaner{hidden: g.hidden, as: as}
	if p, ok := g.policyFor(namespace, queue); ok {
		c.literals = p.Literals() == validation.LiteralsEnforce
	}
	return c
}

func (c cleaner) idle() bool { return !c.literals && c.hidden.Len() == 0 }

func (c cleaner) text(s string) (string, int) {
	out, hits := c.hide(s)
	if !c.literals {
		return out, hits
	}
	out, n := hideLiteral(out)
	return out, hits + n
}

// hide puts markers into s in place of values.
func (c cleaner) hide(s string) (string, int) {
	return c.markers().String(s)
}

func (c cleaner) hideBytes(b []byte) ([]byte, int) {
	return c.markers().Bytes(b)
}

func (c cleaner) hideJSON(data []byte) ([]byte, int) {
	return c.markers().JSON(data)
}

func (c cleaner) markers() markers {
	if c.as == nil {
		return c.hidden.NewHolder()
	}
	return c.as
}

// hideLiteral replaces credential-looking parts of s.
func hideLiteral(s string) (string, int) {
	found := validation.DetectCredentials(s)
	if len(found) == 0 {
		return s, 0
	}
	var b strings.Builder
	last := 0
	for _, f := range found {
		b.WriteString(s[last:f.Start])
		b.WriteString(literalMarker)
		last = f.End
	}
	b.WriteString(s[last:])
	return b.String(), len(found)
}

// value returns v with every secret hidden, and how many were. v is never
// written to. errWithheld means that v holds one where nothing can be edited, or
// that searching failed: then nothing of v may leave.
func (c cleaner) value(v any) (out any, hits int, err error) {
	if v == nil || c.idle() {
		return v, 0, nil
	}
	defer func() {
		if recover() != nil {
			out, hits, err = nil, 0, errWithheld
		}
	}()
	if f := (finder{text: &search{hidden: c.hidden, literals: c.literals}, encoded: true}); !f.any(v, "", maxDepth) {
		return v, 0, nil
	}
	s := &scrub{cleaner: c}
	nv, changed := s.walk(reflect.ValueOf(v), 0)
	switch {
	case s.withheld:
		return nil, s.hits, errWithheld
	case s.reencode:
		return c.encoded(v)
	case s.unsure:
		if changed {
			v = nv.Interface()
		}
		return c.verified(v, s.hits)
	case changed:
		return nv.Interface(), s.hits, nil
	}
	return v, 0, nil
}

// verified looks at a value once more in its encoded form, for types whose
// encoding reflection can only guess. hits is what was hidden in it before.
func (c cleaner) verified(v any, hits int) (any, int, error) {
	if _, ok := encodeOpaque(v); !ok {
		return v, hits, nil // it cannot be sent either: the SDK will say so
	}
	out, n, err := c.encoded(v)
	if err != nil || n > 0 {
		return out, hits + n, err
	}
	return v, hits, nil
}

// encoded cleans v in its encoded form, for types that reflection cannot edit.
func (c cleaner) encoded(v any) (any, int, error) {
	p, err := converter.GetDefaultDataConverter().ToPayload(v)
	if err != nil || p == nil {
		return nil, 0, errWithheld
	}
	np, hits, err := c.payload(p)
	if err != nil {
		return nil, hits, err
	}
	if hits > 0 {
		if typed, ok := retyped(v, np); ok {
			return typed, hits, nil
		}
	}
	return converter.NewRawValue(np), hits, nil
}

// retyped returns a cleaned encoding as a value of the type that it had, where
// that loses nothing: a converter of the user's, and the equals function of a
// MutableSideEffect, expect that type.
func retyped(v any, p *commonpb.Payload) (any, bool) {
	dc := converter.GetDefaultDataConverter()
	fresh := reflect.New(reflect.TypeOf(v))
	if dc.FromPayload(p, fresh.Interface()) != nil {
		return nil, false
	}
	out := fresh.Elem().Interface()
	again, err := dc.ToPayload(out)
	if err != nil || !bytes.Equal(again.GetData(), p.GetData()) {
		return nil, false
	}
	return out, true
}

// payload returns p with secrets hidden in JSON or in printable text, and in its
// metadata. A hit in anything else withholds it: archives and other binary data
// are never edited.
func (c cleaner) payload(p *commonpb.Payload) (*commonpb.Payload, int, error) {
	if p == nil || c.idle() {
		return p, 0, nil
	}
	data, hits := p.GetData(), 0
	switch {
	case isJSONPayload(p):
		data, hits = c.json(data)
	case isPlainPayload(p) && isText(data):
		var text string
		if text, hits = c.text(string(data)); hits > 0 {
			data = []byte(text)
		}
	case c.hidden.Contains(data):
		return nil, 1, errWithheld
	}
	metadata, inMetadata := c.metadata(p.GetMetadata())
	if hits+inMetadata == 0 {
		return p, 0, nil
	}
	fresh := proto.Clone(p).(*commonpb.Payload)
	fresh.Data, fresh.Metadata = data, metadata
	return fresh, hits + inMetadata, nil
}

// metadata cleans what stands beside a payload's data, which no codec touches.
func (c cleaner) metadata(m map[string][]byte) (map[string][]byte, int) {
	hits := 0
	clean := make(map[string][]byte, len(m))
	for k, v := range m {
		key, n := c.hide(k)
		value, o := c.hideBytes(v)
		clean[key], hits = value, hits+n+o
	}
	if hits == 0 {
		return m, 0
	}
	return clean, hits
}

// json cleans the leaves of a JSON text and keeps its shape.
func (c cleaner) json(data []byte) ([]byte, int) {
	// First, since a part of a leaf that is replaced leaves no base64 to decode.
	out, n := c.byteLeaves(data)
	out, hits := c.hideJSON(out)
	if !c.literals {
		return out, hits + n
	}
	cleaned, m := cleanJSONLiterals(out)
	return cleaned, hits + n + m
}

// byteLeaves cleans the text in leaves that encoding/json made of bytes. The
// redactor finds a value in base64, but not one that stands there escaped, as in
// bytes that are JSON themselves. A leaf without escapes is found by its quotes
// alone.
func (c cleaner) byteLeaves(data []byte) ([]byte, int) {
	var out []byte
	last, hits := 0, 0
	for at := 0; at < len(data); {
		open := bytes.IndexByte(data[at:], '"')
		if open < 0 {
			break
		}
		from := at + open + 1
		length := base64Run(data[from:])
		at = from + length
		if at >= len(data) || data[at] != '"' || length < 12 || length%4 != 0 {
			continue
		}
		text, err := base64.StdEncoding.DecodeString(string(data[from:at]))
		if err == nil && isText(text) {
			if clean, n := c.text(string(text)); n > 0 {
				out = append(append(out, data[last:from]...), base64.StdEncoding.EncodeToString([]byte(clean))...)
				last, hits = at, hits+n
			}
		}
		at++
	}
	if hits == 0 {
		return data, 0
	}
	return append(out, data[last:]...), hits
}

// base64Run is the length of the base64 that data begins with.
func base64Run(data []byte) int {
	for i, b := range data {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', b == '+', b == '/', b == '=':
		default:
			return i
		}
	}
	return len(data)
}

// isText tells text from archives and other binary data, which may well be valid
// UTF-8: a tar of text files is.
func isText(data []byte) bool {
	for _, b := range data {
		if b < 0x20 && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != '\b' && b != 0x1b {
			return false
		}
	}
	return utf8.Valid(data)
}
