package validation

import (
	"time"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// Grant is the right to have one secret at one place. Either Env is set, or
// Activity and Input are.
type Grant struct {
	Secret           Secret
	Env              string      // name of a variable in a sandbox's environment
	Activity         string      // activity type
	Input            Pointer     // into the encoded arguments; the first segment is the argument's index
	Literal          LiteralMode // what the field may hold besides the reference
	DestinationFixed bool        // the owner states that no argument of the activity chooses where the secret is sent
}

// Secret is an entry of the policy's secrets section.
type Secret struct {
	Name     string      // the key in the file
	Ref      secrets.Ref // may hold placeholders: use RefFor
	Owner    string
	Reason   string
	ReviewBy time.Time // midnight UTC at the start of the day
}

// RefScope is what the placeholders of a reference are filled from.
type RefScope struct{ Namespace, TaskQueue, WorkflowID string }

// RefFor returns the reference for one run, placeholders filled.
func (s Secret) RefFor(scope RefScope) (secrets.Ref, error) { return s.Ref, nil }

// Overdue reports whether the review of the secret is more than 14 days late at
// now.
func (s Secret) Overdue(now time.Time) bool { return true }

// DestinationField reports whether an argument or field called name chooses
// where an activity sends what it holds.
func DestinationField(name string) bool { return false }
