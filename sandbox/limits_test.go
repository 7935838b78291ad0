package sandbox_test

import (
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// policyLimits are those of the policy reference.
var policyLimits = sandbox.Limits{
	Wall: 45 * time.Minute, Memory: 2 << 30, CPUs: 2, Processes: 256, Disk: 5 << 30, FileSize: 1 << 30, OpenFiles: 1024, Output: 8 << 20,
}

// setLimit sets the field of that number to n, and the others to zero.
func setLimit(t *testing.T, field int, n int64) sandbox.Limits {
	t.Helper()
	var l sandbox.Limits
	v := reflect.ValueOf(&l).Elem().Field(field)
	if v.CanFloat() {
		v.SetFloat(float64(n))
	} else {
		v.SetInt(n)
	}
	return l
}

// limitNames are the fields of Limits as the policy file names them, in their order.
var limitNames = []string{"wall", "memory", "cpus", "processes", "disk", "file_size", "open_files", "output"}

// TestLimitsCoverEveryField holds Check, Narrow and String against every field that Limits have, one at a time. Values that
// are negative or too large are refused, and 0 is no limit of its own, which a default takes the place of: a number without a
// maximum was reported of others, https://github.com/kubernetes-sigs/agent-sandbox/issues/251.
func TestLimitsCoverEveryField(t *testing.T) {
	t.Parallel()
	typ := reflect.TypeFor[sandbox.Limits]()
	if typ.NumField() != len(limitNames) {
		t.Fatalf("Limits have %d fields, this test knows %d", typ.NumField(), len(limitNames))
	}
	most := reflect.ValueOf(sandbox.MaxLimits())
	for i, name := range limitNames {
		if most.Field(i).IsZero() {
			t.Errorf("%s has no maximum", name)
		}
		lower, higher, negative := setLimit(t, i, 2), setLimit(t, i, 3), setLimit(t, i, -1)
		for _, ok := range []sandbox.Limits{{}, lower, higher} {
			if err := ok.Check(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, bad := range []sandbox.Limits{negative, setLimit(t, i, math.MaxInt64>>10<<10)} {
			if diff := cmp.Diff([]string{"/" + name + " " + sandbox.RuleInvalidValue}, faultsOf(t, bad.Check())); diff != "" {
				t.Errorf("%s out of range (-want +got):\n%s", name, diff)
			}
		}
		for _, tt := range []struct{ a, b, want sandbox.Limits }{
			{lower, higher, lower},
			{higher, lower, lower},
			{lower, sandbox.Limits{}, lower},
			{sandbox.Limits{}, lower, lower},
			{negative, lower, negative},
			{lower, negative, negative},
		} {
			if got := tt.a.Narrow(tt.b); got != tt.want {
				t.Errorf("%s: {%v} narrowed by {%v} is {%v}, want {%v}", name, tt.a, tt.b, got, tt.want)
			}
		}
		if lower.String() == higher.String() || lower.String() == (sandbox.Limits{}).String() {
			t.Errorf("%s is not shown: %s", name, lower)
		}
	}
}

func faultsOf(t *testing.T, err error) []string {
	t.Helper()
	var faulty *sandbox.Error
	if !errors.As(err, &faulty) {
		t.Fatalf("the error is %v, want an *Error", err)
	}
	var got []string
	for _, f := range faulty.Faults {
		got = append(got, f.Path+" "+f.Rule)
	}
	return got
}

func TestLimitsCheck(t *testing.T) {
	t.Parallel()
	most := sandbox.MaxLimits()
	for name, l := range map[string]sandbox.Limits{
		"none":            {},
		"the reference's": policyLimits,
		"the most":        most,
		"the least":       {Wall: 1, Memory: 1, CPUs: 0.01, Processes: 1, Disk: 1, FileSize: 1, OpenFiles: 1, Output: 1},
	} {
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, cpus := range map[string]float64{
		"no number": math.NaN(), "infinite": math.Inf(1), "less than nothing": math.Inf(-1), "too little": 0.009, "too much": 1024.01,
	} {
		if got := faultsOf(t, sandbox.Limits{CPUs: cpus}.Check()); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
	err := sandbox.Limits{
		Wall: most.Wall + 1, Memory: most.Memory + 1, CPUs: -1, Processes: most.Processes + 1,
		Disk: most.Disk + 1, FileSize: most.FileSize + 1, OpenFiles: most.OpenFiles + 1, Output: most.Output + 1,
	}.Check()
	want := `sandbox: input refused
  /cpus  invalid-value  must not be negative, and at most 1024; the least is 0.01
  /disk  invalid-value  must not be negative, and at most 1024TiB
  /file_size  invalid-value  must not be negative, and at most 1024TiB
  /memory  invalid-value  must not be negative, and at most 64TiB
  /open_files  invalid-value  must not be negative, and at most 1048576
  /output  invalid-value  must not be negative, and at most 1GiB
  /processes  invalid-value  must not be negative, and at most 4194304
  /wall  invalid-value  must not be negative, and at most 720h`
	if err == nil {
		t.Fatal("limits over every maximum pass")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("all that is wrong at once (-want +got):\n%s", diff)
	}
}

// TestLimitsNarrowOnly narrows mixed limits: a contract gets no more than either side asks for, in either order.
func TestLimitsNarrowOnly(t *testing.T) {
	t.Parallel()
	contract := sandbox.Limits{Wall: time.Hour, Memory: 1 << 30, CPUs: 0.5, OpenFiles: 4096, Output: 1 << 20}
	policy := policyLimits
	policy.OpenFiles = 0
	want := sandbox.Limits{
		Wall: 45 * time.Minute, Memory: 1 << 30, CPUs: 0.5, Processes: 256, Disk: 5 << 30, FileSize: 1 << 30, OpenFiles: 4096, Output: 1 << 20,
	}
	for _, got := range []sandbox.Limits{policy.Narrow(contract), contract.Narrow(policy), want.Narrow(policy), want.Narrow(want)} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("narrowed (-want +got):\n%s", diff)
		}
	}
	if got := (sandbox.Limits{CPUs: math.NaN()}).Narrow(policyLimits); got.Check() == nil {
		t.Errorf("what is no number became %v", got.CPUs)
	}
}

func TestLimitsString(t *testing.T) {
	t.Parallel()
	tests := []struct {
		l    sandbox.Limits
		want string
	}{
		{sandbox.Limits{}, "none"},
		{policyLimits, "wall: 45m, memory: 2GiB, cpus: 2, processes: 256, disk: 5GiB, file_size: 1GiB, open_files: 1024, output: 8MiB"},
		{sandbox.Limits{Wall: 2 * time.Hour}, "wall: 2h"},
		{sandbox.Limits{Wall: 20 * time.Minute}, "wall: 20m"},
		{sandbox.Limits{Wall: 90 * time.Second}, "wall: 1m30s"},
		{sandbox.Limits{Wall: 10 * time.Second}, "wall: 10s"},
		{sandbox.Limits{Wall: time.Hour + time.Second}, "wall: 1h0m1s"},
		{sandbox.Limits{Wall: 10*time.Hour + 30*time.Minute}, "wall: 10h30m"},
		{sandbox.Limits{CPUs: 0.25, Output: 1000}, "cpus: 0.25, output: 1000B"},
	}
	for _, tt := range tests {
		if got := tt.l.String(); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}
