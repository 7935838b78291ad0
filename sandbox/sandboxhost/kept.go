package sandboxhost

import (
	"cmp"
	"errors"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// A keeper has the redactor of one guard keep what a session was given, for as long as the session is here. What no
// attempt has any more, a guard forgets: when its lease or its time is over, or when there is too much of it. It may still
// stand in the workspace.
type keeper struct {
	holder *redact.Holder
	kept   map[grant]bool
}

// keepHidden has the guard of an attempt keep a value that the session was given.
func (s *session) keepHidden(b bind.Binder, g grant, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life == letGo || s.life == gone {
		return notHere() // nobody would end the keeper
	}
	set := b.Holder().Set()
	k := s.keepers[set]
	if k == nil {
		k = &keeper{holder: set.NewHolder(), kept: map[grant]bool{}}
		s.keepers[set] = k
	}
	if k.kept[g] {
		return nil
	}
	name := cmp.Or(g.Secret, g.Ref.String())
	err := k.holder.Add(name, value)
	if errors.Is(err, redact.ErrShort) { // which the guard has allowed
		err = k.holder.AddShort(name, value)
	}
	if err != nil && !errors.Is(err, redact.ErrCommon) { // that it cannot be told from ordinary text the guard has said
		return withheld(g.Ref.String()+", which the session is given, could not be hidden; nothing was done", "use another value")
	}
	k.kept[g] = true
	return nil
}

// unhidden returns what the guard of an attempt does not keep of what the session was given, and whether anything was.
func (s *session) unhidden(b bind.Binder) (given bool, missing []grant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.rec.Given) == 0 || b == nil {
		return len(s.rec.Given) > 0, nil
	}
	k := s.keepers[b.Holder().Set()]
	for _, g := range s.rec.Given {
		if k == nil || !k.kept[g] {
			missing = append(missing, g)
		}
	}
	return true, missing
}

// unkeep lets all guards forget what the session was given, in their time. It is over here.
func (s *session) unkeep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keepers {
		k.holder.End()
	}
	clear(s.keepers)
}
