package operation_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/sandboxguard/sandboxguard/internal/operation"
)

// arguments are one of each kind.
var arguments = []operation.Argument{
	operation.CreateArgs{},
	operation.StateArgs{},
	operation.StopArgs{},
	operation.ExecArgs{},
	operation.ReadArgs{},
	operation.WriteArgs{},
	operation.HydrateArgs{},
	operation.PTYExecArgs{},
	operation.PTYSendArgs{},
}

// FuzzArgs decodes what callers send: any JSON comes to an argument or to what is wrong with it, and what is taken is the
// same when it is sent on.
func FuzzArgs(f *testing.F) {
	const state = `"state":{"type":"unix_local","session_id":"5b8f7c1e-2222-4333-8444-555555555555","snapshot":{"type":"noop","id":"s"},"manifest":{},"workspace_root_ready":true}`
	f.Add([]byte(`{` + state + `,"command":["a"],"timeout":1.5,"shell":["bash","-c"],"user":{"name":"x"},"path":"p","data":"eA==","session_id":1,"chars":"x"}`))
	f.Add([]byte(`{` + state + `,"command":null,"shell":false,"user":null,"tty":true,"yield_time_s":0.1,"max_output_tokens":3}`))
	f.Add([]byte(`{"manifest":{"entries":{"a":{"type":"file","content":"x"}}},"client_options":{"type":"unix_local"},"snapshot_spec":{"type":"noop"}}`))
	f.Add([]byte(`{"state":{"session_id":"{5b8f7c1e-2222-4333-8444-555555555555}","type":"unix_local","image":"x"}}`))
	f.Add([]byte(`null`))
	f.Add([]byte(`{"State":{},"state":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		for _, kind := range arguments {
			got, again := reflect.New(reflect.TypeOf(kind)).Interface(), reflect.New(reflect.TypeOf(kind)).Interface()
			if err := json.Unmarshal(data, got); err != nil {
				t.Errorf("%T of %q: %v", got, data, err)
			}
			a := got.(operation.Argument)
			if id := a.Session(); id != "" && uuid.Validate(id) != nil {
				t.Errorf("%T of %q is for the session %q", got, data, id)
			}
			if a.Fault() != nil {
				continue
			}
			sent, err := json.Marshal(got)
			if err != nil {
				t.Errorf("%T of %q cannot be sent on: %v", got, data, err)
				continue
			}
			err = json.Unmarshal(sent, again)
			if fault := again.(operation.Argument).Fault(); err != nil || fault != nil {
				t.Errorf("%T of %q, sent on as %q: %v, %v", got, data, sent, err, fault)
				continue
			}
			unexported := cmp.FilterPath(func(p cmp.Path) bool { return strings.HasPrefix(p.Last().String(), ".fault") }, cmp.Ignore())
			if diff := cmp.Diff(got, again, unexported, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%T of %q, sent on:\n%s", got, data, diff)
			}
		}
	})
}

// FuzzPrepared takes commands apart: one that was prepared comes to its directory and what is left of it, and any other
// stays as it is.
func FuzzPrepared(f *testing.F) {
	f.Add("", "/workspace/d", "A=b", "pwd")
	f.Add("in", "", "", "sh\n-c\nexit")
	f.Add("in\x00", "--", "--", "--")
	script := operation.Prepared("", "", nil, nil)[2]
	f.Fuzz(func(t *testing.T, input, dir, variable, words string) {
		command := strings.Split(words, "\n")
		if left, in := operation.Unprepared(command); !strings.Contains(words, script) && in != "" || !slices.Equal(left, command) {
			t.Errorf("%q was taken for one that was prepared, in %q", command, in)
		}
		prepared := operation.Prepared(input, dir, []string{variable}, command)
		before := slices.Clone(prepared)
		left, in := operation.Unprepared(prepared)
		if in != dir || len(left) != len(prepared)-1 || !slices.Equal(left[len(left)-len(command):], command) || !slices.Equal(before, prepared) {
			t.Errorf("%q in %q came to %q in %q", prepared, dir, left, in)
		}
	})
}
