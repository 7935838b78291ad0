package sandboxhost

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

const fuzzedID = "5b8f7c1e-2222-5333-8444-555555555555"

// FuzzRecord reads records of sessions, of this and of earlier hosts: what is taken is that session's, from no later than
// now, and stays what it is when it is written and read again.
func FuzzRecord(f *testing.F) {
	whole, err := json.Marshal(record{
		ID: fuzzedID, Epoch: 3, Namespace: "n", WorkflowID: "w", Run: "r", FirstRun: "f", Made: true, Started: true,
		Manifest: sandbox.Manifest{Entries: map[string]sandbox.Entry{"a": {Type: sandbox.EntryFile, Content: "x"}}}, Digest: "d",
		Options: &sandbox.ClientOptions{Type: sandbox.ClientUnixLocal}, Created: time.Unix(1, 0), Used: time.Unix(2, 0),
		Given: []grant{{Proof: "00"}},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte(`{"id":"` + fuzzedID + `","epoch":-1,"created":"9999-12-31T23:59:59Z","last_used":"0001-01-01T00:00:00Z"}`))
	f.Add([]byte(`{"ID":"` + fuzzedID + `","manifest":{"root":"/x"}}`))
	f.Add([]byte(`null`))
	f.Add([]byte(`{"id":"` + fuzzedID + `"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, ok := decodeRecord(data, fuzzedID)
		if !ok {
			return
		}
		if now := time.Now(); r.ID != fuzzedID || r.Created.After(now) || r.Used.After(now) {
			t.Errorf("%q is the record of %s, made %v and used %v", data, r.ID, r.Created, r.Used)
		}
		written, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		again, ok := decodeRecord(written, fuzzedID)
		if !ok {
			t.Fatalf("%q was written as %q, which is no record", data, written)
		}
		// Times that are counted from now on move with it.
		if diff := cmp.Diff(r, again, cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(time.Minute), cmp.AllowUnexported(grant{})); diff != "" {
			t.Errorf("%q, written and read again:\n%s", data, diff)
		}
	})
}

// FuzzNames reads names of the directory of records: only those that this package writes count.
func FuzzNames(f *testing.F) {
	for _, name := range []string{
		"1.json", "01.json", "+1.json", "0.json", "-1.json", "1073741824.json", "9223372036854775808.json", ".json", "1", "1.json.json",
		fuzzedID, strings.ToUpper(fuzzedID), "{" + fuzzedID + "}", "urn:uuid:" + fuzzedID, strings.ReplaceAll(fuzzedID, "-", ""),
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		n, isName := epochIn(name)
		if n < 0 || n >= maxEpoch || n == 0 && isName || isName && path.Base(store{}.file(fuzzedID, n)) != name {
			t.Errorf("%q is the record of epoch %d, %t", name, n, isName)
		}
		if isUUID(name) && (len(name) != 36 || strings.Trim(name, "0123456789abcdef-") != "" || strings.Count(name, "-") != 4) {
			t.Errorf("%q was taken for an id", name)
		}
	})
}

// FuzzWorkdir reads scripts that say where they run. One that is changed runs below the workspace, and is the same
// otherwise.
func FuzzWorkdir(f *testing.F) {
	for _, script := range []string{
		"cd /workspace && ls", "cd '/workspace/a b'\"c\" && make", "cd /workspace/../etc && ls", "cd /workspace/$A && ls", "cd \"/workspace/`id`\" && ls",
		"cd /workspace/a &&\nls", "cd  && ls", "cd /workspace//./it\"'\"s && a && cd /x", "cd '/workspace", "cd /workspace/-P && x", "", "\n",
	} {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script string) {
		if word, rest, ok := cutWord(quote(script) + " rest"); !ok || word != script || rest != " rest" {
			t.Errorf("%q, quoted and read again, is %q before %q", script, word, rest)
		}
		got := inWorkdir(script)
		if again := inWorkdir(got); again != got {
			t.Errorf("%q became %q, and that %q", script, got, again)
		}
		if got == script {
			return
		}
		was, rest, _ := cutWord(strings.TrimPrefix(script, "cd "))
		is, then, ok := cutWord(strings.TrimPrefix(got, "cd "))
		if !ok || rest != then || is != "." && !strings.HasPrefix(is, "./") || path.Join(sandbox.DefaultRoot, is) != path.Clean(was) {
			t.Errorf("%q became %q", script, got)
		}
	})
}

// FuzzDecoded reads output of commands as text: the same in pieces of any size, no longer than what stands for bytes that
// are no text, and unchanged if it is text.
func FuzzDecoded(f *testing.F) {
	f.Add([]byte("\xf0\x9f\x98\x80\xed\xa0\x80"), 1)
	f.Add([]byte("\xe0\x9f\xbf\xf4\x90\x80\x80\xc3("), 2)
	f.Add([]byte("text"), 3)
	f.Add([]byte("\xf1\x80\xff\xe1\x80\xe1\x80\x80\xc3"), 4)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		want := decoded(data)
		if !utf8.ValidString(want) || len(want) > 3*len(data) || utf8.Valid(data) && want != string(data) {
			t.Errorf("%q is %q", data, want)
		}
		var got bytes.Buffer
		d := decoder{to: &got}
		for piece := range slices.Chunk(data, max(1, size%8)) {
			if n, err := d.Write(piece); n != len(piece) || err != nil {
				t.Errorf("write = %d, %v", n, err)
			}
			if len(d.rest) >= utf8.UTFMax {
				t.Errorf("%q waits", d.rest)
			}
		}
		if err := d.Close(); err != nil || got.String() != want {
			t.Errorf("%q in pieces is %q, %v, want %q", data, got.String(), err, want)
		}
	})
}
