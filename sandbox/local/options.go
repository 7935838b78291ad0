package local

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// The defaults of [Options].
const (
	DefaultPath         = "/usr/local/bin:/usr/bin:/bin"
	DefaultGrace        = 2 * time.Second
	DefaultGitTimeout   = 5 * time.Minute
	DefaultMaxFileBytes = 64 << 20

	defaultArchiveBytes   = 1 << 30
	defaultExtractedBytes = 4 << 30
	defaultMembers        = 100_000
)

// Options are what [New] needs.
type Options struct {
	// Dir is the directory that holds the sandboxes: absolute, and of this backend alone. It is made with mode
	// 0700 if its parent exists; one that is there must belong to the worker's account and let nobody else in.
	// Required.
	Dir string
	// Launcher says how commands are kept from the rest of the host. Required: the zero Launcher is refused.
	Launcher Launcher
	// Path is the PATH of commands whose environment has none. Empty means [DefaultPath].
	Path string
	// Roots are the absolute directories that the Src of local_file and local_dir entries may name, as
	// root:relative: those of the queue's policy, which validation.Policy.LocalRoots returns. Nil refuses all such
	// entries.
	Roots map[string]string
	// Git is the absolute path of the git program for git_repo entries. Empty means the one found in Path.
	Git string
	// GitURL returns where the repository of a git_repo entry is fetched from: an https or file URL without
	// user-info, which would be an argument of a process. Nil means https://host/repo.git.
	GitURL func(host, repo string) string
	// GitTimeout bounds the fetching of one repository. 0 means [DefaultGitTimeout].
	GitTimeout time.Duration
	// Grace is the time between SIGTERM and SIGKILL for processes that are ended, and the time that the output
	// of a command is waited for after its end. 0 means [DefaultGrace].
	Grace time.Duration
	// MaxFileBytes bounds what Read returns. 0 means [DefaultMaxFileBytes].
	MaxFileBytes int64
	// Archives bound what Hydrate takes. The zero value holds the defaults of [sandbox.ArchiveLimits].
	Archives sandbox.ArchiveLimits
}

// rootName is the form of a name in Options.Roots.
var rootName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// checked returns o with its defaults, or everything that is wrong with it.
func (o Options) checked() (Options, error) {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf("local: "+format, args...)) }
	if !filepath.IsAbs(o.Dir) {
		fault("Dir must be an absolute path")
	}
	if _, err := newLauncher(o.Launcher); err != nil {
		faults = append(faults, err)
	}
	if o.Path == "" {
		o.Path = DefaultPath
	}
	if strings.ContainsRune(o.Path, 0) {
		fault("Path must not hold NUL")
	}
	if o.Git != "" && !filepath.IsAbs(o.Git) {
		fault("Git must be an absolute path")
	}
	for _, name := range slices.Sorted(maps.Keys(o.Roots)) {
		if !rootName.MatchString(name) {
			fault("the names in Roots must be 1 to 64 characters of A-Z a-z 0-9 _ -")
		} else if !filepath.IsAbs(o.Roots[name]) {
			fault("Roots[%s] must be an absolute path", name)
		}
	}
	if o.GitTimeout < 0 || o.Grace < 0 || o.MaxFileBytes < 0 {
		fault("GitTimeout, Grace and MaxFileBytes must not be negative")
	}
	o.Roots = maps.Clone(o.Roots)
	setDefault(&o.GitTimeout, DefaultGitTimeout)
	setDefault(&o.Grace, DefaultGrace)
	setDefault(&o.MaxFileBytes, DefaultMaxFileBytes)
	setDefault(&o.Archives.MaxInputBytes, defaultArchiveBytes)
	setDefault(&o.Archives.MaxExtractedBytes, defaultExtractedBytes)
	setDefault(&o.Archives.MaxMembers, defaultMembers)
	if o.GitURL == nil {
		o.GitURL = func(host, repo string) string { return "https://" + host + "/" + repo + ".git" }
	}
	return o, errors.Join(faults...)
}

func setDefault[T ~int64](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// over reports whether n is more than limit.
func over(n int64, limit sandbox.Limit) bool { return limit != sandbox.Unlimited && n > int64(limit) }
