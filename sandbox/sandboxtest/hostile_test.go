package sandboxtest_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

func TestTable(t *testing.T) {
	want := "1 of 2 safe\n" +
		"PROBE        RESULT  DETAIL\n" +
		"environment  safe    3 tries\n" +
		"devices      UNSAFE  /dev/mem\n" +
		"limit-disk   safe    the command was stopped\n"
	if diff := cmp.Diff(want, sandboxtest.Table([]sandboxtest.Finding{
		{Probe: "environment", Safe: true, Detail: "3 tries", Scored: true},
		{Probe: "devices", Detail: "/dev/mem", Scored: true},
		{Probe: "limit-disk", Safe: true, Detail: "the command was stopped"},
	})); diff != "" {
		t.Errorf("table (-want +got)\n%s", diff)
	}
}
