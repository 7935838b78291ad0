package redact

import "errors"

// ErrFailed is returned by a [Writer] that withholds the rest of its output because redacting it failed.
var ErrFailed = errors.New("redact: redacting failed, and what was to be written is withheld: report it as a defect of the module, with Go's version and the platform")

// recovered is deferred around all work on a text. What goes wrong there says nothing about the text, and
// may quote it: so the panic is dropped, and counted.
func (s *Set) recovered(withhold func()) {
	if recover() != nil {
		s.failures.Add(1)
		withhold()
	}
}
