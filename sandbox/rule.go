package sandbox

// The rules that a [Fault] can name. Their ids are stable.
const (
	// RuleDuplicateKey: an object has a key twice, and readers differ in which
	// one counts.
	RuleDuplicateKey = "duplicate-key"
	// RuleEntryPathAbsolute: the path of an entry is absolute on some host.
	RuleEntryPathAbsolute = "entry-path-absolute"
	// RuleEntryPathEmpty: the path of an entry is the workspace root itself.
	RuleEntryPathEmpty = "entry-path-empty"
	// RuleEntryPathEscape: the path of an entry, a relative mount path or a
	// start directory leaves the workspace.
	RuleEntryPathEscape = "entry-path-escape"
	// RuleEnvAmbiguous: an environment variable mixes two forms, or a literal
	// and a secret.
	RuleEnvAmbiguous = "env-ambiguous"
	// RuleEnvName: the name of an environment variable cannot be one.
	RuleEnvName = "env-name"
	// RuleEnvWrapperMissing: the variables do not stand under "value", where
	// other readers would see none at all.
	RuleEnvWrapperMissing = "env-wrapper-missing"
	// RuleHostPathForm: the host path of a grant is not an absolute path below
	// a root.
	RuleHostPathForm = "host-path-form"
	// RuleHostPathGrant: a grant has a host path. Decoders accept one; the id
	// is for policies that do not.
	RuleHostPathGrant = "host-path-grant"
	// RuleInvalidText: a text is not valid Unicode, or a path holds NUL.
	RuleInvalidText = "invalid-text"
	// RuleInvalidValue: a value has the right type and is outside of what the
	// format allows.
	RuleInvalidValue = "invalid-value"
	// RuleLiveSession: a run configuration holds a live session.
	RuleLiveSession = "live-session"
	// RuleMapPathGrants: a map holds path grants, which only typed code may
	// give.
	RuleMapPathGrants = "map-path-grants"
	// RuleMountConfig: this kind of mount cannot be mounted in this way.
	RuleMountConfig = "mount-config"
	// RuleNoJSONForm: a value cannot be written as JSON: code, channels,
	// foreign types that fail to encode.
	RuleNoJSONForm = "no-json-form"
	// RulePathGrantRelative: the path of a grant is not absolute.
	RulePathGrantRelative = "path-grant-relative"
	// RulePathGrantRoot: the path of a grant is the root of the file system.
	RulePathGrantRoot = "path-grant-root"
	// RuleRequired: something is absent or empty.
	RuleRequired = "required"
	// RuleRootRelative: the workspace root is not a plain absolute path.
	RuleRootRelative = "root-relative"
	// RuleSecretRef: a reference to a secret is not well formed, or looks like
	// the secret itself.
	RuleSecretRef = "secret-ref"
	// RuleSecretUntypedPlace: a secret stands in a free-form object, where it
	// would become a map like any other.
	RuleSecretUntypedPlace = "secret-untyped-place"
	// RuleSyntax: the input is not one JSON value.
	RuleSyntax = "syntax"
	// RuleTooDeep: the input is nested deeper than 32 levels, or is a cycle.
	RuleTooDeep = "too-deep"
	// RuleTooLarge: the input has too many bytes or values.
	RuleTooLarge = "too-large"
	// RuleTooManyFaults: there are more faults than are listed.
	RuleTooManyFaults = "too-many-faults"
	// RuleUnknownKey: a key is not in the format.
	RuleUnknownKey = "unknown-key"
	// RuleUnknownType: a "type" is not in the format.
	RuleUnknownType = "unknown-type"
	// RuleWrongType: a value has another JSON type than the format wants.
	RuleWrongType = "wrong-type"
)
