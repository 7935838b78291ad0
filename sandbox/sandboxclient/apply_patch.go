package sandboxclient

import (
	"errors"
	"fmt"
	"path"
	"unicode/utf8"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// ApplyPatch changes files as a patch says that is in the format of the apply_patch tool:
//
//	*** Begin Patch
//	*** Update File: cmd/main.go
//	@@ func main() {
//	-	run()
//	+	os.Exit(run())
//	*** Add File: docs/notes.md
//	+# Notes
//	*** Delete File: old.go
//	*** End Patch
//
// An updated file may be moved, with a line "*** Move to: PATH" after its header; it gets the permissions of a new
// one. A change is looked for after the one before it, below the lines that stand behind its @@; white space at the
// two ends of a line counts only if the file has the line in two forms. Each file may be named once.
//
// Everything is read and computed before anything is written: a patch that does not fit changes nothing. The error is
// an [*Error] with one of the Patch codes, or a [*MarkerError] if a file holds a redaction marker, unless Force is
// given. Errors name a file by its number in the patch. If writing fails the files before that one are changed.
func (b *Sandbox) ApplyPatch(ctx workflow.Context, patch string, options ...WriteOption) error {
	files, err := parsePatch(patch)
	if err != nil {
		return err
	}
	plans := make([]plan, len(files))
	named := map[string]bool{}
	for i, f := range files {
		if plans[i], err = b.plan(ctx, f, named, options); err != nil {
			return inFile(i, err)
		}
	}
	for i, p := range plans {
		if err := b.carryOut(ctx, p); err != nil {
			return inFile(i, err)
		}
	}
	return nil
}

// A plan is what is to be done for one file.
type plan struct {
	// write is the path to write content to, empty if nothing is written.
	write   string
	content []byte
	// fresh is true if the file is a new one.
	fresh bool
	// remove is the path to remove then, empty if nothing is removed.
	remove string
}

func (b *Sandbox) plan(ctx workflow.Context, f filePatch, named map[string]bool, options []WriteOption) (plan, error) {
	source, err := b.patchPath(f.path, named)
	if err != nil {
		return plan{}, err
	}
	p := plan{write: source, content: []byte(f.content), fresh: true}
	switch {
	case f.header == patchDel:
		return plan{remove: source}, b.present(ctx, source)
	case f.header == patchEdit:
		if p.content, err = b.updated(ctx, source, f.hunks); err != nil {
			return plan{}, err
		}
		p.fresh = f.moveTo != ""
	}
	if f.moveTo != "" {
		if p.write, err = b.patchPath(f.moveTo, named); err != nil {
			return plan{}, err
		}
		p.remove = source
	}
	if err := unmarked(p.content, options); err != nil {
		return plan{}, err
	}
	if p.fresh {
		return p, b.absent(ctx, p.write)
	}
	return p, nil
}

// patchPath is the absolute form of a path that a patch names for the first time.
func (b *Sandbox) patchPath(name string, named map[string]bool) (string, error) {
	full, err := b.path(name)
	root, _ := b.path(".")
	switch {
	case err != nil || full == root:
		return "", patchError(PatchInvalidPath, "the path must lead to a file in the workspace or in a path grant: nothing was changed")
	case named[full]:
		return "", patchError(PatchInvalidPath, "the path is named twice: put all that is done to a file into one place; nothing was changed")
	}
	named[full] = true
	return full, nil
}

// updated is the text of a file with hunks applied.
func (b *Sandbox) updated(ctx workflow.Context, name string, hunks []hunk) ([]byte, error) {
	data, err := b.Read(ctx, name)
	switch {
	case CodeOf(err) == backend.ReadNotFound:
		return nil, missing()
	case err != nil:
		return nil, err
	case !utf8.Valid(data):
		return nil, patchError(PatchDecode, "the file is not UTF-8 text: change it with a command; nothing was changed")
	}
	text, err := applyHunks(string(data), hunks)
	return []byte(text), err
}

func (b *Sandbox) present(ctx workflow.Context, name string) error {
	found, err := b.exists(ctx, name)
	if err == nil && !found {
		return missing()
	}
	return err
}

func (b *Sandbox) absent(ctx workflow.Context, name string) error {
	found, err := b.exists(ctx, name)
	if err == nil && found {
		return patchError(PatchInvalidPath, "the file is there already: update it, or delete it first; nothing was changed")
	}
	return err
}

func missing() error {
	return patchError(PatchFileNotFound, "there is no such file: nothing was changed")
}

func (b *Sandbox) carryOut(ctx workflow.Context, p plan) error {
	if p.write != "" {
		if p.fresh {
			if err := b.Mkdir(ctx, path.Dir(p.write)); err != nil {
				return err
			}
		}
		if err := b.Write(ctx, p.write, p.content, Force); err != nil { // markers were looked for
			return err
		}
	}
	if p.remove != "" {
		return b.Remove(ctx, p.remove)
	}
	return nil
}

func patchError(code backend.Code, message string) *Error {
	return &Error{Op: "apply_patch", Code: code, message: message}
}

// inFile says which file of a patch an error is about.
func inFile(i int, err error) error {
	var e *Error
	if errors.As(err, &e) && e.Op == "apply_patch" {
		return patchError(e.Code, fmt.Sprintf("file %d: %s", i+1, e.message))
	}
	return fmt.Errorf("sandboxclient: apply_patch: file %d: %w", i+1, err)
}
