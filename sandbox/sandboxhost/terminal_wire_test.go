package sandboxhost_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

var processID = regexp.MustCompile(`"process_id":([1-9][0-9]{3,4}),`)

// TestWireTerminals holds the two operations of terminals to what the format says of them, one sentence in each case.
// They are called as a runner of the format does, with JSON, in which % is the state and # the id of a process.
func TestWireTerminals(t *testing.T) {
	starts := func(args string) func(*rig, sandbox.SessionState) int {
		return func(r *rig, s sandbox.SessionState) int {
			r.tb.Helper()
			out, err := call[operation.PTYResult](r, owner, operation.PTYExec, json.RawMessage(strings.Replace(args, "%", asJSON(r.tb, s), 1)))
			if err != nil || out.ProcessID == nil {
				r.tb.Fatalf("start: %+v, %v", out, err)
			}
			return *out.ProcessID
		}
	}
	cat := starts(`{"state":%,"command":["cat"],"tty":true,"yield_time_s":0}`)
	waits := starts(`{"state":%,"command":["wait"],"yield_time_s":0}`)
	const none = `"exit_code":null,"original_token_count":null}`
	for _, c := range []struct {
		op       operation.Name
		sentence string
		before   func(*rig, sandbox.SessionState) int
		args     string
		want     string // the result, or the type of the error
		took     time.Duration
		effects  []string // in the sandbox, in which % is its id
	}{
		{operation.PTYExec, "one that exits has a code and no id, and pipes without tty", nil, `{"state":%,"command":["echo out ; exit 3"],"timeout":null,"shell":true,"user":null,"tty":false,"yield_time_s":null,"max_output_tokens":null}`, `{"process_id":null,"output":"b3V0Cg==","exit_code":3,"original_token_count":null}`, 0, []string{"pipes % sh -c echo out ; exit 3"}},
		{operation.PTYExec, "a terminal has carriage returns", nil, `{"state":%,"command":["echo","a"],"shell":false,"tty":true}`, `{"process_id":null,"output":"YQ0K","exit_code":0,"original_token_count":null}`, 0, []string{"terminal % echo a"}},
		{operation.PTYExec, "one that goes on has an id and no code, after ten seconds", nil, `{"state":%,"command":["cat"],"tty":true}`, `{"process_id":#,"output":"",` + none, 10 * time.Second, []string{"terminal % sh -c cat"}},
		{operation.PTYExec, "without a terminal there is nothing to read", nil, `{"state":%,"command":["cat"]}`, `{"process_id":null,"output":"","exit_code":0,"original_token_count":null}`, 0, []string{"pipes % sh -c cat"}},
		{operation.PTYExec, "the time to yield is cut to milliseconds", nil, `{"state":%,"command":["wait"],"yield_time_s":1.2349}`, `{"process_id":#,"output":"",` + none, 1234 * time.Millisecond, []string{"pipes % sh -c wait"}},
		{operation.PTYExec, "the time to yield is 250 ms at least", nil, `{"state":%,"command":["wait"],"yield_time_s":-1}`, `{"process_id":#,"output":"",` + none, 250 * time.Millisecond, []string{"pipes % sh -c wait"}},
		{operation.PTYExec, "the time to yield is 30 s at most", nil, `{"state":%,"command":["wait"],"yield_time_s":1e300}`, `{"process_id":#,"output":"",` + none, 30 * time.Second, []string{"pipes % sh -c wait"}},
		{operation.PTYExec, "the timeout does not count", nil, `{"state":%,"command":["true"],"timeout":0}`, `{"process_id":null,"output":"","exit_code":0,"original_token_count":null}`, 0, []string{"pipes % sh -c true"}},
		{operation.PTYExec, "a long output is cut to tokens", nil, `{"state":%,"command":["echo 12345678901234567890123456789012345678901234567890"],"max_output_tokens":1}`, `{"process_id":null,"output":"4oCmMQ==","exit_code":0,"original_token_count":13}`, 0, []string{"pipes % sh -c echo 12345678901234567890123456789012345678901234567890"}},
		{operation.PTYExec, "a missing program without a shell was not started", nil, `{"state":%,"command":["nowhere"],"shell":false}`, "exec_transport_error", 0, []string{"pipes % nowhere"}},
		{operation.PTYExec, "an empty command is invalid", nil, `{"state":%,"command":[]}`, operation.InvalidArgument, 0, nil},
		{operation.PTYSend, "what is typed is echoed and read, and told after a pause and 250 ms", cat, `{"state":%,"session_id":#,"chars":"hi\n","yield_time_s":null,"max_output_tokens":null}`, `{"process_id":#,"output":"aGkNCmhpDQo=",` + none, 350 * time.Millisecond, nil},
		{operation.PTYSend, "the characters are UTF-8", cat, `{"state":%,"session_id":#,"chars":"\u00e9"}`, `{"process_id":#,"output":"w6k=",` + none, 350 * time.Millisecond, nil},
		{operation.PTYSend, "ETX interrupts", cat, `{"state":%,"session_id":#,"chars":"\u0003"}`, `{"process_id":null,"output":"XkM=","exit_code":-2,"original_token_count":null}`, 0, nil},
		{operation.PTYSend, "EOT ends the input", cat, `{"state":%,"session_id":#,"chars":"\u0004"}`, `{"process_id":null,"output":"","exit_code":0,"original_token_count":null}`, 0, nil},
		{operation.PTYSend, "a poll waits five seconds at least", cat, `{"state":%,"session_id":#,"chars":"","yield_time_s":0.5}`, `{"process_id":#,"output":"",` + none, 5 * time.Second, nil},
		{operation.PTYSend, "a poll waits as long as it says", waits, `{"state":%,"session_id":#,"chars":"","yield_time_s":6}`, `{"process_id":#,"output":"",` + none, 6 * time.Second, nil},
		{operation.PTYSend, "characters need a terminal", waits, `{"state":%,"session_id":#,"chars":"x"}`, "RuntimeError", 0, nil},
		{operation.PTYSend, "an unknown id", nil, `{"state":%,"session_id":1,"chars":""}`, "pty_session_not_found", 0, nil},
		{operation.PTYSend, "a finished one is not known a second time", func(r *rig, s sandbox.SessionState) int {
			id := cat(r, s)
			if out, err := call[operation.PTYResult](r, owner, operation.PTYSend, operation.PTYSendArgs{State: s, Process: id, Chars: "\x04"}); err != nil || out.ExitCode == nil {
				r.tb.Fatalf("end of input: %+v, %v", out, err)
			}
			return id
		}, `{"state":%,"session_id":#,"chars":""}`, "pty_session_not_found", 0, nil},
		{operation.PTYSend, "stop ends all", func(r *rig, s sandbox.SessionState) int {
			id := cat(r, s)
			if _, err := call[any](r, owner, operation.Stop, operation.StopArgs{State: s}); err != nil {
				r.tb.Fatal(err)
			}
			return id
		}, `{"state":%,"session_id":#,"chars":""}`, "pty_session_not_found", 0, nil},
		{operation.PTYSend, "shutdown ends all", func(r *rig, s sandbox.SessionState) int {
			id := cat(r, s)
			if _, err := call[any](r, owner, operation.Shut, operation.StopArgs{State: s}); err != nil {
				r.tb.Fatal(err)
			}
			if _, commands := r.fake.Left(); commands != 0 {
				r.tb.Errorf("%d commands run after shutdown", commands)
			}
			return id
		}, `{"state":%,"session_id":#,"chars":""}`, "pty_session_not_found", 0, nil},
		{operation.PTYSend, "stop ends what is over, too", func(r *rig, s sandbox.SessionState) int {
			r.fake.Handle("second", func(context.Context, backend.Command) int {
				<-time.After(time.Second)
				return 0
			})
			id := starts(`{"state":%,"command":["second"],"yield_time_s":0}`)(r, s)
			<-time.After(2 * time.Second)
			if _, err := call[any](r, owner, operation.Stop, operation.StopArgs{State: s}); err != nil {
				r.tb.Fatal(err)
			}
			return id
		}, `{"state":%,"session_id":#,"chars":""}`, "pty_session_not_found", 0, nil},
		{operation.PTYSend, "another process of the host has none", func(r *rig, s sandbox.SessionState) int {
			id := cat(r, s)
			r.restart()
			return id
		}, `{"state":%,"session_id":#,"chars":""}`, "pty_session_not_found", 0, nil},
		{operation.PTYSend, "the id must be there", nil, `{"state":%,"chars":""}`, operation.InvalidArgument, 0, nil},
	} {
		t.Run(string(c.op)+"/"+c.sentence, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				state := r.create(sandbox.Manifest{})
				id := "1"
				if c.before != nil {
					id = strconv.Itoa(c.before(r, state))
				}
				before := len(r.fake.Effects())
				begun := time.Now()
				args := strings.Replace(strings.Replace(c.args, "#", id, 1), "%", asJSON(t, state), 1)
				out, err := call[json.RawMessage](r, owner, c.op, json.RawMessage(args))
				took := time.Since(begun)
				switch {
				case c.want[0] == '{':
					got := processID.ReplaceAllString(string(out), `"process_id":#,`)
					if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
						t.Errorf("error %v, result (-want +got):\n%s", err, diff)
					}
					if sent := processID.FindStringSubmatch(string(out)); c.op == operation.PTYSend && sent != nil && sent[1] != id {
						t.Errorf("the id became %s, was %s", sent[1], id)
					}
				case errorType(err) != c.want || !final(err):
					t.Errorf("error = %v, want %s", err, c.want)
				}
				if took != c.took {
					t.Errorf("took %v, want %v", took, c.took)
				}
				var effects []string
				for _, e := range r.fake.Effects()[before:] {
					effects = append(effects, strings.ReplaceAll(e, state.SessionID, "%"))
				}
				if diff := cmp.Diff(c.effects, effects); diff != "" {
					t.Errorf("effects (-want +got):\n%s", diff)
				}
				if err := r.stop(); err != nil {
					t.Error(err)
				}
				r.nothingLeft()
			})
		})
	}
}

// plain is a backend whose sandboxes have no terminals.
type plain struct{ backend.Backend }

func (p plain) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	s, err := p.Backend.Create(ctx, spec)
	return struct{ backend.Sandbox }{s}, err
}

// TestNoTerminals says so where sandboxes have no terminals, and does nothing.
func TestNoTerminals(t *testing.T) {
	r := newRig(t)
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	r.host = r.newHost(plain{r.fake})
	r.serve()
	out, err := call[operation.SessionResult](r, owner, operation.Create, operation.CreateArgs{})
	if err != nil || out.SupportsPTY {
		t.Fatalf("create: %+v, %v", out, err)
	}
	_, err = call[any](r, owner, operation.PTYExec, operation.PTYExecArgs{State: out.State, Command: []string{"sh"}, TTY: true})
	if errorType(err) != "NotImplementedError" || !final(err) {
		t.Errorf("start: %v", err)
	}
	if _, commands := r.fake.Left(); commands != 0 {
		t.Errorf("%d commands run", commands)
	}
}
