package scan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// texts reads every string of a JSON value with the cursor, names included.
func texts(c *cursor) (all []string, err error) {
	switch c.peek() {
	case '{', '[':
		object := c.peek() == '{'
		for more := c.enter(); more; {
			if object {
				key, err := c.key()
				if err != nil {
					return nil, err
				}
				all = append(all, key)
			}
			inner, err := texts(c)
			if err != nil {
				return nil, err
			}
			all = append(all, inner...)
			if more, err = c.next(); err != nil {
				return nil, err
			}
		}
		return all, nil
	case '"':
		s, err := c.str()
		return []string{s}, err
	}
	return nil, c.scalar()
}

// textsOf does the same with the standard library.
func textsOf(tb testing.TB, doc []byte) (all []string) {
	tb.Helper()
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			tb.Fatal(err)
		}
		if s, ok := token.(string); ok {
			all = append(all, s)
		}
	}
}

// FuzzCursor: nothing that JSON holds is passed over, and no input is too odd.
func FuzzCursor(f *testing.F) {
	for _, seed := range []string{
		`{}`, `[]`, `{"a":"b"}`, `[1,-2.5e+3,true,false,null,"x"]`, `{"a":{"b":[[],{},"\u00e9\"\\"]}}`, " [ \"a\\\\\" , {\"k\" : 1} ]\n",
		`{"a":`, `["`, `{"a" "b"}`, `]`, `{"a":"\`, `["\ud83d\ude00","\ud800"]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		c := cursor{s: string(doc)}
		whole, skipErr := c.skip()
		if json.Valid(doc) {
			if skipErr != nil || strings.TrimSpace(whole) != strings.Trim(string(doc), " \t\r\n") {
				t.Fatalf("skip of a valid document: %v, %d of %d bytes", skipErr, len(whole), len(doc))
			}
			c = cursor{s: string(doc)}
			got, err := texts(&c)
			for i := range got { // a byte that is no UTF-8 is kept as it came
				got[i] = string([]rune(got[i]))
			}
			if err != nil || !slices.Equal(got, textsOf(t, doc)) {
				t.Fatalf("texts %q, error %v; want %q", got, err, textsOf(t, doc))
			}
			if c.peek() != 0 {
				t.Fatal("something is left")
			}
		}
	})
}

// FuzzDocuments: documents are cut at the same places however the stream arrives,
// and what is cut out is what the standard library reads.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{"{}\n[]", `{"a":"}"} [1]`, `{"a":"\\"}{"b":"\""}`, `{"a`, ` x`, "\ufeff{}", `{"a":[}`} {
		f.Add([]byte(seed))
	}
	read := func(r io.Reader) (docs []string, failed bool) {
		d := documents{src: r}
		for {
			doc, err := d.next()
			if err != nil {
				return docs, !errors.Is(err, io.EOF)
			}
			docs = append(docs, string(doc))
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, failed := read(bytes.NewReader(stream))
		pieces, failedToo := read(iotest.OneByteReader(bytes.NewReader(stream)))
		if !slices.Equal(whole, pieces) || failed != failedToo {
			t.Fatalf("at once %q, %v; byte by byte %q, %v", whole, failed, pieces, failedToo)
		}
		d := json.NewDecoder(bytes.NewReader(stream))
		for i := 0; ; i++ {
			var want json.RawMessage
			if err := d.Decode(&want); err != nil {
				break
			}
			if want[0] != '{' && want[0] != '[' {
				break
			}
			if i >= len(whole) || whole[i] != string(want) {
				t.Fatalf("document %d of %q is not %q", i, whole, want)
			}
		}
	})
}

// FuzzScan: no document makes the walk fail in another way than by an error.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"events":[{"eventId":"1","eventType":"EVENT_TYPE_WORKFLOW_EXECUTION_STARTED","workflowExecutionStartedEventAttributes":{"input":{"payloads":[{"metadata":{"encoding":"anNvbi9wbGFpbg=="},"data":"IngiIA=="}]}}}]}`,
		`{"workflowExecutionInfo":{"execution":{},"status":1},"pendingActivities":[{},1]}`,
		`{"metadata":{"encoding":"YmluYXJ5L3psaWI="},"data":"eJw="}`,
		`[{"eventId":1,"eventTime":[]}]`, `{"schedule":{"spec":[]}}`, `{"":{"metadata":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		s := New()
		err := s.Documents("f", bytes.NewReader(stream))
		if r := s.Report(); r.Complete && err != nil {
			t.Errorf("complete with error %v", err)
		}
		if json.Valid(stream) && (bytes.HasPrefix(stream, []byte("{")) || bytes.HasPrefix(stream, []byte("["))) && err != nil {
			t.Errorf("a valid document gives %v", err)
		}
	})
}
