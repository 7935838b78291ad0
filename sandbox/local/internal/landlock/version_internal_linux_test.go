package landlock

import "testing"

// TestEnough checks that a kernel is refused that cannot keep signals in.
func TestEnough(t *testing.T) {
	for version, want := range map[uintptr]error{1: ErrOld, 5: ErrOld, 6: nil, 7: nil, 99: nil} {
		if got := enough(version); got != want { //nolint:errorlint // it is to be nothing more
			t.Errorf("version %d: %v, want %v", version, got, want)
		}
	}
}
