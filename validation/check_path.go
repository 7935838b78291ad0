package validation

import (
	"path"
	"strconv"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// pathGrant checks element i of the manifest's extra_path_grants.
func (c *checker) pathGrant(g *sandbox.PathGrant, i int) {
	c.size += entryOverhead + len(g.Path)
	c.trail.enter(index(i))
	if g.HostPath != nil {
		c.reportDetail(RuleHostPathGrant, shownSandboxPath(g.Path))
	}
	switch clean := path.Clean(g.Path); {
	case !strings.HasPrefix(g.Path, "/"):
		c.reportAt("path", RulePathGrantRelative)
	case clean == "/":
		c.reportAt("path", RulePathGrantRoot)
	case !c.grantsPath(clean, g.ReadOnly):
		c.report(RulePathGrantUnlisted)
	}
	c.trail.leave(1)
}

// index returns the segment of an element of a list.
func index(i int) string { return strconv.Itoa(i) }

// grantsPath reports whether policy grants a clean absolute path.
func (c *checker) grantsPath(clean string, readOnly bool) bool {
	for _, g := range c.policy.queue.sandbox.pathGrants {
		if isWithin(clean, g.path) && (readOnly || !g.readOnly) {
			return true
		}
	}
	return false
}

// isWithin reports whether a clean path is dir or lies below it.
func isWithin(clean, dir string) bool {
	rest, ok := strings.CutPrefix(clean, dir)
	return ok && (rest == "" || rest[0] == '/' || dir == "/")
}

// shownSandboxPath names a grant by its path inside the sandbox, if that can be
// shown. The path of the host never is.
func shownSandboxPath(p string) string {
	for _, seg := range strings.Split(strings.Trim(p, "/"), "/") {
		if SafeSegment(seg, 0) != seg {
			return ""
		}
	}
	return "the path inside the sandbox is " + p
}

// isRelativePath reports whether p is a path below the directory that it is
// relative to, however a host reads it: backslashes separate, drives and UNC
// names are absolute.
func isRelativePath(p string) bool {
	if p == "" || strings.ContainsRune(p, 0) {
		return false
	}
	slashed := p
	if strings.Contains(p, `\`) {
		slashed = strings.ReplaceAll(p, `\`, "/")
	}
	if slashed[0] == '/' || len(slashed) >= 2 && slashed[1] == ':' && isDriveLetter(slashed[0]) {
		return false
	}
	named := false
	for seg := range strings.SplitSeq(slashed, "/") {
		switch seg {
		case "..":
			return false
		case "", ".":
		default:
			named = true
		}
	}
	return named
}

func isDriveLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }

// isBelowRoot reports whether a mount path, absolute or relative to root, lies
// below root after it is cleaned.
func isBelowRoot(mountPath, root string) bool {
	if root == "" {
		root = sandbox.DefaultRoot
	}
	root = path.Clean(root)
	if strings.ContainsAny(mountPath, "\\\x00") {
		return false
	}
	if !strings.HasPrefix(mountPath, "/") {
		mountPath = path.Join(root, mountPath)
	}
	clean := path.Clean(mountPath)
	return clean != root && isWithin(clean, root)
}
