//go:build !linux

package pid1

// Main does nothing: there are no sandboxes of this kind here.
func Main() {}
