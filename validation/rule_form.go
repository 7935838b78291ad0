package validation

import "github.com/sandboxguard/sandboxguard/sandbox"

// formRules are the rules about the form of manifests and run configs. Package
// sandbox finds what breaks them, with a more special text of its own.
var formRules = []RuleInfo{
	{
		ID:      sandbox.RuleDuplicateKey,
		Summary: "A JSON object has a key twice, and readers differ in which one counts.",
		Detail:  "must have each key once",
		Fix:     "remove one of the two",
	},
	{
		ID:      sandbox.RuleEntryPathAbsolute,
		Summary: "An entry's key is an absolute path.",
		Detail:  "must be relative to the workspace root",
		Fix:     "leave the leading slash or drive out; use extra_path_grants for what lies outside the workspace",
	},
	{
		ID:      sandbox.RuleEntryPathEmpty,
		Summary: "An entry's key names nothing.",
		Detail:  "must name a file or directory below the workspace root",
		Fix:     "give the entry a name",
	},
	{
		ID:      sandbox.RuleEnvAmbiguous,
		Summary: "An environment variable mixes two of its forms.",
		Detail:  "must be a string, a tagged value, or an object whose value is a tagged value",
		Fix:     `write {"value": {"type": "str", "value": "..."}, "description": "..."}, or the string alone`,
	},
	{
		ID:      sandbox.RuleEnvName,
		Summary: "The name of an environment variable cannot be one.",
		Detail:  "must be a non-empty name without = and NUL",
		Fix:     "rename the variable",
	},
	{
		ID:      sandbox.RuleEnvWrapperMissing,
		Summary: "The variables of an environment stand under the key value; without it readers see none at all.",
		Detail:  `must be {"value": {...}}`,
		Fix:     `wrap the variables: "environment": {"value": {"NAME": "..."}}`,
	},
	{
		ID:      sandbox.RuleHostPathForm,
		Summary: "The host path of a grant is not one.",
		Detail:  "must be an absolute path of the host without .. segments",
		Fix:     "leave host_path out; the worker decides what stands behind a granted path",
	},
	{
		ID:      sandbox.RuleInvalidText,
		Summary: "A text is not valid Unicode, or holds a NUL.",
		Detail:  "must be valid UTF-8 without NUL",
		Fix:     "encode binary content, or bring it in as a file",
	},
	{
		ID:      sandbox.RuleInvalidValue,
		Summary: "A value has the right type and is outside of what the format allows.",
		Detail:  "must be one of the values that the format allows",
		Fix:     "correct the value; the detail says what is allowed",
	},
	{
		ID:      sandbox.RuleLiveSession,
		Summary: "A run config holds a handle to a running sandbox, which cannot be replayed and would bypass every check of its manifest.",
		Detail:  "must not hold a live session",
		Fix:     "leave session out and let the run create its sandbox, or resume one by session_state",
	},
	{
		ID:      sandbox.RuleMapPathGrants,
		Summary: "A run config in map form holds path grants, which only typed code may ask for.",
		Detail:  "must be absent or empty in map form",
		Fix:     "build the manifest with sandbox.Manifest and its ExtraPathGrants",
	},
	{
		ID:      sandbox.RuleMountConfig,
		Summary: "A mount combines a store and a strategy that do not go together.",
		Detail:  "must be a mount strategy that the kind of mount supports",
		Fix:     "choose a pair that the wire format lists",
	},
	{
		ID:      sandbox.RuleNoJSONForm,
		Summary: "A value is code, a channel or another thing that cannot be sent.",
		Detail:  "must have a JSON form",
		Fix:     "leave it out, or pass data instead of code",
	},
	{
		ID:      RulePathGrantRelative,
		Summary: "The path of a grant is relative.",
		Detail:  "must be an absolute POSIX path",
		Fix:     "write the path from / on",
	},
	{
		ID:      RulePathGrantRoot,
		Summary: "The path of a grant is the root of the file system, under whatever spelling.",
		Detail:  "must not be the root of the file system",
		Fix:     "grant the directories that are needed",
	},
	{
		ID:      sandbox.RuleRequired,
		Summary: "A key that the format requires is missing.",
		Detail:  "must be present",
		Fix:     "add the key",
	},
	{
		ID:      sandbox.RuleRootRelative,
		Summary: "The workspace root is not an absolute path.",
		Detail:  "must be an absolute path inside the sandbox",
		Fix:     "leave root out for /workspace, or write it from / on",
	},
	{
		ID:      sandbox.RuleSecretRef,
		Summary: "A reference is not well formed.",
		Detail:  "must be a reference such as env:NAME, file:dir/name or vault:kv/app#field",
		Fix:     `use secrets.Env("NAME"), secrets.File("dir/name") or secrets.ParseRef`,
	},
	{
		ID:      sandbox.RuleSyntax,
		Summary: "The input is not JSON.",
		Detail:  "must be valid JSON",
		Fix:     "encode it with encoding/json",
	},
	{
		ID:      sandbox.RuleTooDeep,
		Summary: "The input is nested deeper than a reader follows.",
		Detail:  "must not be nested so deep",
		Fix:     "flatten it; a pointer that leads back to itself never ends",
	},
	{
		ID:      sandbox.RuleTooLarge,
		Summary: "The input is larger than a reader takes.",
		Detail:  "must be smaller",
		Fix:     "let a local_dir, git_repo or mount entry bring the files in",
	},
	{
		ID:      sandbox.RuleTooManyFaults,
		Summary: "There are more faults than are listed at once.",
		Detail:  "must have fewer faults than are listed at once",
		Fix:     "correct those that are listed and look again",
	},
	{
		ID:      RuleUnknownKey,
		Summary: "The format has no such key, and readers drop it or fail.",
		Detail:  "must not have keys that the format does not know",
		Fix:     "correct the spelling, or leave the key out",
	},
	{
		ID:      sandbox.RuleUnknownType,
		Summary: "The type of an entry, option, snapshot or environment value is none of the format.",
		Detail:  "must have a type that the format knows",
		Fix:     "correct the type",
	},
	{
		ID:      RuleWrongType,
		Summary: "A value is of another type than the format says.",
		Detail:  "must be of the type that the format says",
		Fix:     "correct the value; the detail says which type it is",
	},
}
