package validation

// FileError says why a policy file was not loaded: every problem at once.
type FileError struct {
	Name     string // of the file, without its directory
	Problems []Problem
	Omitted  int // problems beyond the first 50
}

// Problem is one fault of a policy file.
type Problem struct {
	Line, Column int    // from 1; Column counts bytes
	Path         string // such as "queues.agents.grants[0].to"
	Text         string // never quotes a value
}

// Error returns one line a problem: file:line:column: path: text.
func (e *FileError) Error() string { return "" }
