package sandbox

import "strings"

// PathGrant lets a sandbox use an absolute path outside its workspace root. A
// grant comes from code or from a recorded value; in a map that somebody hands
// over it is refused, see [NormalizeManifest].
type PathGrant struct {
	// Path is the absolute POSIX path inside the sandbox. Required. Decoders
	// normalise it and refuse the root of the file system.
	Path string `json:"path"`
	// ReadOnly refuses writes below Path.
	ReadOnly bool `json:"read_only,omitzero"`
	// Description says what the grant is for. Nil means none.
	Description *string `json:"description,omitzero"`
	// HostPath binds Path to a path of the worker's host. It is read and
	// checked for its form only: whether any is allowed is for policy. No
	// message ever shows it.
	HostPath *string `json:"host_path,omitzero"`
}

// UnmarshalJSON reads g in [Lenient] mode. The error is an [*Error].
func (g *PathGrant) UnmarshalJSON(data []byte) error { return unmarshal(data, g) }

func (g PathGrant) tree() map[string]any {
	t := map[string]any{"path": g.Path}
	if g.ReadOnly {
		t["read_only"] = true
	}
	if g.Description != nil {
		t["description"] = *g.Description
	}
	if g.HostPath != nil {
		t["host_path"] = *g.HostPath
	}
	return t
}

func isGrantKey(key string) bool {
	return key == "path" || key == "read_only" || key == "description" || key == "host_path"
}

// grants reads the grants of a manifest. Those of a map that nobody vouches
// for must be an empty list: not null, and not even a typed list.
func (d *decoder) grants(v any, at *place, trusted bool) []PathGrant {
	if !trusted {
		if elems, ok := d.shape(v, at).([]any); !ok || len(elems) > 0 {
			d.report(at, RuleMapPathGrants, "must be empty in a map: path grants come from a typed Manifest")
			return nil
		}
	}
	elems, ok := d.elements(v, at)
	if !ok {
		return nil
	}
	out := make([]PathGrant, 0, len(elems))
	for i, e := range elems {
		out = append(out, d.grant(e, at.index(i)))
	}
	return out
}

func (d *decoder) grant(v any, at *place) PathGrant {
	m, ok := d.fields(v, at)
	if !ok {
		return PathGrant{}
	}
	d.known(m, at, isGrantKey, false)
	out := PathGrant{
		ReadOnly:    d.boolean(m, "read_only", at),
		Description: d.nullStr(m, "description", at),
	}
	if v, at, ok := d.required(m, "path", at); ok {
		if s, ok := d.str(v, at); ok {
			out.Path = d.grantPath(s, at)
		}
	}
	if s := d.nullStr(m, "host_path", at); s != nil {
		host := d.hostPath(*s, at.key("host_path"))
		out.HostPath = &host
	}
	return out
}

func (d *decoder) grantPath(s string, at *place) string {
	d.noNUL(s, at)
	clean := normPath(s)
	switch {
	case !strings.HasPrefix(clean, "/"):
		d.report(at, RulePathGrantRelative, "must be an absolute POSIX path")
	case strings.Trim(clean, "/") == "":
		d.report(at, RulePathGrantRoot, "must not be the root of the file system")
	}
	return clean
}

// hostPath reads a POSIX or Windows path that is absolute, is not a root, and
// takes no way up.
func (d *decoder) hostPath(s string, at *place) string {
	d.noNUL(s, at)
	refuse := func() string {
		d.report(at, RuleHostPathForm, `must be an absolute path below a root, without ".." segments`)
		return ""
	}
	switch {
	case strings.HasPrefix(s, `\\`), strings.HasPrefix(s, "//"), escapes(s):
		return refuse()
	case isDrivePath(s) && len(s) > 2 && isSeparator(s[2]):
		var segs []string
		for seg := range strings.FieldsFuncSeq(s[2:], func(r rune) bool { return r == '/' || r == '\\' }) {
			if seg != "." {
				segs = append(segs, seg)
			}
		}
		if len(segs) == 0 {
			return refuse()
		}
		return s[:2] + `\` + strings.Join(segs, `\`)
	case strings.HasPrefix(s, "/"):
		if clean := normPath(s); clean != "/" {
			return clean
		}
	}
	return refuse()
}

// noNUL refuses the one character that no file name can hold.
func (d *decoder) noNUL(s string, at *place) {
	if strings.Contains(s, "\x00") {
		d.report(at, RuleInvalidText, "must not hold NUL")
	}
}
