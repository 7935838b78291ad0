package validation

import "slices"

// The backends that sandbox.backends of a policy can name.
const (
	// BackendNative isolates with the namespaces of Linux, without a program of others.
	BackendNative = "native"
	// BackendBwrap isolates with bubblewrap.
	BackendBwrap = "bwrap"
	// BackendLandlock isolates without namespaces, and so less than the others: it must be listed to be allowed.
	BackendLandlock = "landlock"
	// BackendUnisolated keeps nothing apart, so it must be listed to be allowed.
	BackendUnisolated = "unisolated"
)

// backendShape is one name of a backend.
func backendShape() *shape {
	return enum(append(isolatedBackends(), BackendLandlock, BackendUnisolated)...)
}

// isolatedBackends are those that may run sandboxes where policy lists none: none that is degraded.
func isolatedBackends() []string { return []string{BackendNative, BackendBwrap} }

// compileBackends returns the backends that a sandbox section lists. The order of a list means nothing in this format,
// so none may be read into it.
func compileBackends(section *value) []string {
	if !section.has("backends") {
		return isolatedBackends()
	}
	var listed []string
	for _, name := range section.list("backends") {
		listed = append(listed, name.text)
	}
	return slices.DeleteFunc(backendShape().words, func(word string) bool { return !slices.Contains(listed, word) })
}
