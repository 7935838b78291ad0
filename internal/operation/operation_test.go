package operation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

const state = `{"type":"unix_local","session_id":"5b8f7c1e-2222-4333-8444-555555555555","snapshot":{"type":"noop","id":"x"},"manifest":{}}`

// TestExecArgs reads what the Python plugin writes, in every form it may have, and writes what that reads.
func TestExecArgs(t *testing.T) {
	for _, c := range []struct {
		name, rest string
		shell      operation.Shell
		user       operation.User
		out        string
	}{
		{"all keys", `"timeout":10.0,"shell":["bash","-lc"],"user":{"name":"agent"}`, operation.Shell{Prefix: []string{"bash", "-lc"}}, "agent", `"timeout":10,"shell":["bash","-lc"],"user":"agent"`},
		{"nulls", `"timeout":null,"shell":true,"user":null`, operation.Shell{}, "", `"timeout":null,"shell":true,"user":null`},
		{"no shell", `"shell":false,"user":"agent"`, operation.Shell{Off: true}, "agent", `"timeout":null,"shell":false,"user":"agent"`},
		{"empty shell", `"shell":[]`, operation.Shell{Off: true, Prefix: []string{}}, "", `"timeout":null,"shell":false,"user":null`},
		{"unknown keys", `"later":1`, operation.Shell{}, "", `"timeout":null,"shell":true,"user":null`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var args operation.ExecArgs
			if err := json.Unmarshal([]byte(`{"state":`+state+`,"command":["ls -la | head"],`+c.rest+`}`), &args); err != nil {
				t.Fatal(err)
			}
			if err := args.Fault(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.shell, args.Shell); diff != "" {
				t.Error(diff)
			}
			if args.User != c.user || len(args.Command) != 1 || args.State.Type != sandbox.ClientUnixLocal {
				t.Errorf("read %+v", args)
			}
			out, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			if want := `"command":["ls -la | head"],` + c.out + `}`; !strings.HasSuffix(string(out), want) {
				t.Errorf("wrote %s, want the end %s", out, want)
			}
		})
	}
}

// TestFaults checks that bad arguments decode without an error, say what is wrong, and quote nothing.
func TestFaults(t *testing.T) {
	const quoted = "hunter2-and-more"
	for _, c := range []struct {
		into operation.Argument
		in   string
		want string
	}{
		{&operation.StateArgs{}, `{}`, "state is required"},
		{&operation.StopArgs{}, `{"state":null}`, "state is required"},
		{&operation.ExecArgs{}, `{"state":` + state + `}`, "command is required"},
		{&operation.ExecArgs{}, `{"state":` + state + `,"command":"` + quoted + `"}`, "command has the wrong type"},
		{&operation.ExecArgs{}, `{"state":` + state + `,"command":["x"],"shell":"` + quoted + `"}`, "wrong type"},
		{&operation.ReadArgs{}, `{"state":` + state + `,"path":1}`, "path has the wrong type"},
		{&operation.WriteArgs{}, `{"state":` + state + `,"path":"x","data":"` + quoted + `"}`, "wrong type"},
		{&operation.HydrateArgs{}, `{"state":` + state + `}`, "data is required"},
		{&operation.PTYExecArgs{}, `[]`, "must be a JSON object"},
		{&operation.PTYSendArgs{}, `{"state":` + state + `,"session_id":"` + quoted + `","chars":""}`, "wrong type"},
		{&operation.CreateArgs{}, `{"manifest":{"root":["` + quoted + `"]}}`, "must"},
	} {
		if err := json.Unmarshal([]byte(c.in), c.into); err != nil {
			t.Errorf("%T of %s: %v", c.into, c.in, err)
			continue
		}
		err := c.into.Fault()
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), quoted) {
			t.Errorf("fault of %T of %s = %v, want %q", c.into, c.in, err, c.want)
		}
	}
}

// TestForeign finds in a state what a decoder drops, and the session also in one that is at fault.
func TestForeign(t *testing.T) {
	const id = "5b8f7c1e-2222-4333-8444-555555555555"
	own := `{"type":"unix_local","session_id":"` + id + `","snapshot":{"type":"noop","id":"x"},"manifest":{},`
	for _, c := range []struct{ state, session, foreign string }{
		{state, id, ""},
		{own + `"container_id":"4f1d0c"}`, id, "container_id"},
		{own + `"image":""}`, id, "image"},
		{own + `"image":null,"container_id":null}`, id, ""},
		{`{"type":"docker","session_id":"` + id + `","image":"x","container_id":"x"}`, id, ""},
		{`{"session_id":"` + id + `","manifest":7}`, id, ""},
		{`{"session_id":"../x"}`, "", ""},
		{`7`, "", ""},
	} {
		var args operation.StopArgs
		if err := json.Unmarshal([]byte(`{"state":`+c.state+`}`), &args); err != nil {
			t.Fatal(err)
		}
		if args.Session() != c.session || args.Foreign() != c.foreign {
			t.Errorf("%s: session %q, foreign %q, want %q, %q", c.state, args.Session(), args.Foreign(), c.session, c.foreign)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		v                any
		argument, ending bool
	}{
		{operation.CreateArgs{}, true, false},
		{&operation.ExecArgs{}, true, false},
		{operation.StopArgs{}, true, true},
		{&operation.StopArgs{}, true, true},
		{operation.ExecResult{}, false, false},
		{sandbox.SessionState{}, false, false},
		{nil, false, false},
	} {
		if operation.IsArgument(c.v) != c.argument || operation.IsCleanUp(c.v) != c.ending {
			t.Errorf("%T: argument %v, clean-up %v", c.v, operation.IsArgument(c.v), operation.IsCleanUp(c.v))
		}
	}
	if got := operation.Exec.Activity("local"); got != "local-sandbox_session_exec" {
		t.Errorf("activity = %s", got)
	}
	if n := len(operation.Names()); n != 14 {
		t.Errorf("%d operations", n)
	}
}
