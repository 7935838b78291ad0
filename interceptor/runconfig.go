package interceptor

import "github.com/sandboxguard/sandboxguard/sandbox"

// A heldManifest is a manifest inside a run config and the JSON pointer to it.
type heldManifest struct {
	at       string
	manifest sandbox.Manifest
}

// manifestsOf returns the manifests that a run config holds: the one to create a
// sandbox from, and that of a session to go on with.
func manifestsOf(rc sandbox.RunConfig) []heldManifest {
	var out []heldManifest
	if rc.Sandbox == nil {
		return nil
	}
	if rc.Sandbox.Manifest != nil {
		out = append(out, heldManifest{"/sandbox/manifest", *rc.Sandbox.Manifest})
	}
	if rc.Sandbox.SessionState != nil {
		out = append(out, heldManifest{"/sandbox/session_state/manifest", rc.Sandbox.SessionState.Manifest})
	}
	return out
}

// withManifests returns rc with each of its manifests replaced by what f returns
// for it, and whether f changed any. rc itself is not written to.
func withManifests(rc sandbox.RunConfig, f func(sandbox.Manifest) (sandbox.Manifest, bool)) (sandbox.RunConfig, bool) {
	if rc.Sandbox == nil {
		return rc, false
	}
	box, changed := *rc.Sandbox, false
	if box.Manifest != nil {
		if m, ok := f(*box.Manifest); ok {
			box.Manifest, changed = &m, true
		}
	}
	if box.SessionState != nil {
		if m, ok := f(box.SessionState.Manifest); ok {
			state := *box.SessionState
			state.Manifest = m
			box.SessionState, changed = &state, true
		}
	}
	if changed {
		rc.Sandbox = &box
	}
	return rc, changed
}
