package sandbox

import "path"

// entries reads the entries of a manifest or the children of a directory. Null
// means none.
func (d *decoder) entries(m map[string]any, key string, at *place) map[string]Entry {
	v, ok := m[key]
	if !ok {
		return nil
	}
	if d.null(m, key) {
		return map[string]Entry{}
	}
	at = at.key(key)
	members, ok := d.fields(v, at)
	if !ok {
		return nil
	}
	out := make(map[string]Entry, len(members))
	for i, name := range sortedKeys(members) {
		at := at.member(name, i)
		if d.strict() {
			d.entryPath(name, at)
		}
		out[d.text(name, at)] = d.entry(members[name], at)
	}
	return out
}

// entryPath checks the path of an entry relative to the workspace. The Python
// models do that when a sandbox starts, and again when it is deleted.
func (d *decoder) entryPath(name string, at *place) {
	d.noNUL(name, at)
	switch {
	case isAbsolute(name):
		d.report(at, RuleEntryPathAbsolute, "must be relative to the workspace root")
	case escapes(name):
		d.report(at, RuleEntryPathEscape, `must stay inside the workspace, without ".." segments`)
	case path.Clean(name) == ".":
		d.report(at, RuleEntryPathEmpty, "must name something inside the workspace")
	}
}

// entry reads one entry of any type.
func (d *decoder) entry(v any, at *place) Entry {
	m, ok := d.fields(v, at)
	if !ok {
		return Entry{}
	}
	tag, typeAt, ok := d.required(m, "type", at)
	if !ok {
		return Entry{}
	}
	typ, ok := d.str(tag, typeAt)
	if !ok {
		return Entry{}
	}
	out := Entry{Type: typ}
	switch {
	case out.IsMount():
		return d.mount(typ, m, at)
	case typ == EntryFile, typ == EntryDir, typ == EntryLocalFile, typ == EntryLocalDir, typ == EntryGitRepo:
	default:
		d.report(typeAt, RuleUnknownType, "must be a type of entry that the format has")
		return Entry{}
	}
	d.known(m, at, func(key string) bool { return isEntryKey(typ, key) }, false)
	d.entryCommon(&out, m, at)
	switch typ {
	case EntryFile:
		if v, at, ok := d.required(m, "content", at); ok {
			out.Content, _ = d.str(v, at)
		}
	case EntryDir:
		out.Children = d.entries(m, "children", at)
	case EntryLocalFile:
		out.Src = currentDir(d.requiredStr(m, "src", at))
	case EntryLocalDir:
		if s := d.nullStr(m, "src", at); s != nil {
			out.Src = currentDir(*s)
		}
	case EntryGitRepo:
		if v, ok := m["host"]; ok {
			if out.Host, ok = d.str(v, at.key("host")); ok && out.Host == "" {
				d.report(at.key("host"), RuleRequired, "must not be empty")
			}
		}
		out.Repo = d.requiredStr(m, "repo", at)
		out.Ref = d.requiredStr(m, "ref", at)
		out.Subpath = d.plainStr(m, "subpath", at)
	}
	return out
}

// currentDir spells the empty path as the "." that it means, since an empty Src
// means that there is none.
func currentDir(src string) string {
	if src == "" {
		return "."
	}
	return src
}

// entryCommon reads what every entry has.
func (d *decoder) entryCommon(out *Entry, m map[string]any, at *place) {
	out.Description = d.nullStr(m, "description", at)
	out.Ephemeral = d.boolean(m, "ephemeral", at)
	if !d.null(m, "group") {
		g := d.group(m["group"], at.key("group"), false)
		out.Group = &g
	}
	if isDir, ok := m["is_dir"]; ok {
		if is := d.bool(isDir, at.key("is_dir")); d.strict() && is != out.IsDir() {
			d.report(at.key("is_dir"), RuleInvalidValue, "must agree with the type of the entry")
		}
	}
	if v, ok := m["permissions"]; ok {
		p := d.permissions(v, at.key("permissions"))
		p.Directory = p.Directory || out.IsDir()
		out.Permissions = &p
	}
}

func isPermissionsKey(key string) bool {
	return key == "owner" || key == "group" || key == "other" || key == "directory"
}

// permissions reads permission bits. What is missing from an object that is
// there is 7 for the owner and nothing for the others, unlike the 755 of an
// absent object.
func (d *decoder) permissions(v any, at *place) Permissions {
	m, ok := d.fields(v, at)
	if !ok {
		return Permissions{}
	}
	d.known(m, at, isPermissionsKey, false)
	out := Permissions{Owner: 7}
	for _, f := range []struct {
		name string
		bits *int
	}{{"owner", &out.Owner}, {"group", &out.Group}, {"other", &out.Other}} {
		v, ok := m[f.name]
		if !ok {
			continue
		}
		n, ok := d.integer(v, at.key(f.name), false)
		if ok && (int64(int(n)) != n || d.strict() && (n < 0 || n > 7)) {
			d.report(at.key(f.name), RuleInvalidValue, "must be between 0 and 7")
		}
		*f.bits = int(n)
	}
	out.Directory = d.boolean(m, "directory", at)
	return out
}
