package validation

import (
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// entries checks a level of the manifest's tree of entries.
func (c *checker) entries(entries map[string]sandbox.Entry, root string, depth int) {
	if depth > maxManifestDepth {
		if len(entries) > 0 {
			c.report(RuleManifestSize)
		}
		return
	}
	for key, entry := range entries {
		c.size += entryOverhead + len(key)
		c.trail.enterKey(key, entries)
		if !isRelativePath(key) {
			c.report(RuleEntryPathEscape)
		}
		c.entry(&entry, root)
		if entry.Children != nil {
			c.trail.enter("children")
			c.entries(entry.Children, root, depth+1)
			c.trail.leave(1)
		}
		c.trail.leave(1)
	}
}

// entry checks one entry without its children.
func (c *checker) entry(e *sandbox.Entry, root string) {
	c.size += len(e.Type) + len(e.Content) + len(e.Src) + len(e.Host) + len(e.Repo) + len(e.Ref) + len(e.Subpath) + len(e.Raw)
	if e.Description != nil {
		c.size += len(*e.Description)
	}
	if !slices.Contains(c.policy.queue.sandbox.entries, e.Type) {
		c.reportAt("type", RuleEntryKind)
	}
	switch {
	case e.Type == sandbox.EntryLocalFile, e.Type == sandbox.EntryLocalDir && e.Src != "":
		if !c.isLocalSource(e.Src) {
			c.reportAt("src", RuleEntryHostPath)
		}
	case e.Type == sandbox.EntryGitRepo:
		c.repository(e)
	}
	if len(e.Raw) > 0 {
		c.mount(e.Raw, root)
	}
}

// isLocalSource reports whether src is root:relative with a root of the policy.
func (c *checker) isLocalSource(src string) bool {
	root, relative, ok := strings.Cut(src, ":")
	_, listed := c.policy.queue.sandbox.localRoots[root]
	return ok && listed && isRelativePath(relative)
}

// repository refuses user-info where the host and the repository are named, and
// a subpath that leads out of the clone.
func (c *checker) repository(e *sandbox.Entry) {
	if hasUserInfo(e.Host) {
		c.reportAt("host", RuleMountCredential)
	}
	if hasUserInfo(e.Repo) {
		c.reportAt("repo", RuleMountCredential)
	}
	if e.Subpath != "" && !isRelativePath(e.Subpath) {
		c.reportAt("subpath", RuleEntryPathEscape)
	}
}

// hasUserInfo reports whether s, a URL or what may be put in place of its host,
// has a user or a password before the host.
func hasUserInfo(s string) bool {
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	s = strings.TrimLeft(s, "/")
	if end := strings.IndexAny(s, `/?#\`); end >= 0 {
		s = s[:end]
	}
	return strings.Contains(s, "@")
}
