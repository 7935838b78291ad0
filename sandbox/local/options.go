package local

import (
	"errors"
	"fmt"
	"maps"
	"math"
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
	// DefaultFirstUID is above what distributions give to accounts, containers and services.
	DefaultFirstUID = 1_900_000_000

	// Those of Options.Limits. Memory is bounded by default only where a control group can do it.
	DefaultMemory    = 4 << 30
	DefaultProcesses = 1024
	DefaultDisk      = 1 << 30
	DefaultOpenFiles = 4096

	defaultArchiveBytes   = 1 << 30
	defaultExtractedBytes = 4 << 30
	defaultMembers        = 100_000
)

// Options are what [New] needs.
type Options struct {
	// Dir is the directory that holds the sandboxes: absolute, and of this backend alone. It is made with mode
	// 0700 if its parent exists; one that is there must belong to the worker's account and let nobody else in.
	// Required.
	// Where the launcher isolates it must not be in /usr or /etc, of which all sandboxes see something.
	Dir string
	// Launcher says how commands are kept from the rest of the host. Zero means [Native].
	Launcher Launcher
	// Launchers are the names of those that are allowed: what validation.Policy.Backends returns for the queue. Nil
	// leaves it to Launcher.
	Launchers []string
	// Limits are what each command may use: what validation.Policy.Limits returns for the queue. New refuses those
	// that the launcher cannot hold on this host. Where it isolates, a field that is zero has a default; that of Disk is
	// for what commands write outside the workspace, which is bounded only if Disk is set. With [Landlock] nothing of the
	// disk is bounded unless it is.
	Limits sandbox.Limits
	// ReadOnly are directories at the top of the workspace that commands cannot change where the launcher isolates.
	// Nil means input, reference and tools; empty means none, which is all that [Landlock] can do.
	ReadOnly []string
	// System are files and directories of the host that isolated commands see at the same path and cannot change,
	// besides /usr and what of /etc programs need: absolute, without links. They must exist, hold no secret, and lie
	// apart from Dir.
	System []string
	// Paths are what manifests may ask for, with extra_path_grants, where the launcher isolates. Of several that a grant
	// is at or below the longest counts. Nil refuses all such grants. Each must be there when New is called, and no
	// secret may be below one.
	Paths []Path
	// FirstUID is the first of 65536 user and group ids of the host that belong to no account: where the worker is
	// root, each sandbox with isolation has one of its own. 0 means [DefaultFirstUID].
	FirstUID int
	// Bwrap is the absolute path of the program of [Bubblewrap]. Empty means the one found in Path.
	Bwrap string
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
	// Archives bound what Hydrate takes and Persist writes. The zero value holds the defaults of [sandbox.ArchiveLimits].
	Archives sandbox.ArchiveLimits

	faults faults
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
	if err := o.checkLauncher(); err != nil {
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
	if err := o.Limits.Check(); err != nil {
		faults = append(faults, fmt.Errorf("local: Limits: %w", err))
	}
	for i, name := range o.ReadOnly {
		if name == "" || strings.ContainsAny(name, "/\x00") || name == "." || name == ".." {
			fault("ReadOnly[%d] must name a directory at the top of the workspace", i)
		}
	}
	for i, name := range o.System {
		if what := systemFault(name); what != "" {
			fault("System[%d] %s", i, what)
		}
	}
	for i, p := range o.Paths {
		if what := p.fault(o.Launcher); what != "" {
			fault("Paths[%d]: %s", i, what)
		}
	}
	if o.Launcher == Landlock {
		faults = append(faults, o.inPlaceFaults()...)
	}
	if o.FirstUID < 0 || o.FirstUID > math.MaxInt32-accounts {
		fault("FirstUID must be 1 to %d", math.MaxInt32-accounts)
	}
	if o.Bwrap != "" && !filepath.IsAbs(o.Bwrap) {
		fault("Bwrap must be an absolute path")
	}
	o.Roots, o.System, o.Launchers, o.Paths = maps.Clone(o.Roots), slices.Clone(o.System), slices.Clone(o.Launchers), slices.Clone(o.Paths)
	if o.ReadOnly == nil && o.Launcher != Landlock {
		o.ReadOnly = []string{"input", "reference", "tools"}
	}
	setDefault(&o.FirstUID, DefaultFirstUID)
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

// checkLauncher refuses a launcher that is not allowed.
func (o Options) checkLauncher() error {
	name := o.Launcher.String()
	switch {
	case launcherNames[o.Launcher] == "":
		return errors.New("local: no such launcher: leave Launcher out, or say local.Native, local.Bubblewrap, local.Landlock or local.Unisolated")
	case o.Launchers == nil || slices.Contains(o.Launchers, name):
		return nil
	case o.Launcher == Unisolated, o.Launcher == Landlock:
		return fmt.Errorf("local: the policy does not allow %s: it must say so in sandbox.backends of the queue", name)
	}
	return fmt.Errorf("local: the policy does not allow the launcher %s, but %s: set Options.Launcher, or change sandbox.backends of the queue", name, listed(o.Launchers))
}

// listed names the launchers that are allowed.
func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func setDefault[T ~int64 | ~int](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// over reports whether n is more than limit.
func over(n int64, limit sandbox.Limit) bool { return limit != sandbox.Unlimited && n > int64(limit) }
