package validation

import (
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// entries checks a level of the manifest's tree of entries.
func (c *checker) entries(entries map[string]sandbox.Entry, at *spot, root string, depth int) {
	if depth > maxManifestDepth {
		if len(entries) > 0 {
			c.report(at, RuleManifestSize)
		}
		return
	}
	for key, entry := range entries {
		place := spot{up: at, seg: key, siblings: entries}
		c.size += entryOverhead + len(key)
		if !isRelativePath(key) {
			c.report(&place, RuleEntryPathEscape)
		}
		c.entry(&entry, &place, root)
		if entry.Children != nil {
			children := spot{up: &place, seg: "children"}
			c.entries(entry.Children, &children, root, depth+1)
		}
	}
}

// entry checks one entry without its children.
func (c *checker) entry(e *sandbox.Entry, at *spot, root string) {
	c.size += len(e.Type) + len(e.Content) + len(e.Src) + len(e.Host) + len(e.Repo) + len(e.Ref) + len(e.Subpath) + len(e.Raw)
	if e.Description != nil {
		c.size += len(*e.Description)
	}
	if !slices.Contains(c.policy.queue.sandbox.entries, e.Type) {
		kind := spot{up: at, seg: "type"}
		c.report(&kind, RuleEntryKind)
	}
	switch {
	case e.Type == sandbox.EntryLocalFile, e.Type == sandbox.EntryLocalDir && e.Src != "":
		if !c.isLocalSource(e.Src) {
			src := spot{up: at, seg: "src"}
			c.report(&src, RuleEntryHostPath)
		}
	case e.Type == sandbox.EntryGitRepo:
		c.repository(e, at)
	}
	if len(e.Raw) > 0 {
		c.mount(e.Raw, at, root)
	}
}

// isLocalSource reports whether src is root:relative with a root of the policy.
func (c *checker) isLocalSource(src string) bool {
	root, relative, ok := strings.Cut(src, ":")
	return ok && slices.Contains(c.policy.queue.sandbox.localRoots, root) && isRelativePath(relative)
}

// repository refuses user-info where the host and the repository are named, and
// a subpath that leads out of the clone.
func (c *checker) repository(e *sandbox.Entry, at *spot) {
	if hasUserInfo(e.Host) {
		host := spot{up: at, seg: "host"}
		c.report(&host, RuleMountCredential)
	}
	if hasUserInfo(e.Repo) {
		repo := spot{up: at, seg: "repo"}
		c.report(&repo, RuleMountCredential)
	}
	if e.Subpath != "" && !isRelativePath(e.Subpath) {
		subpath := spot{up: at, seg: "subpath"}
		c.report(&subpath, RuleEntryPathEscape)
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
