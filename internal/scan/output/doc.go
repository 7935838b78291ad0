// Package output writes the report of a scan: as text for people, as JSON for
// programs, and as SARIF 2.1.0 for services that show findings of other tools.
package output

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// Format is a way to write a report.
type Format string

// The formats.
const (
	FormatText  Format = "text"
	FormatJSON  Format = "json"
	FormatSARIF Format = "sarif"
)

// Set takes a format by its name, for package flag.
func (f *Format) Set(name string) error {
	switch Format(name) {
	case FormatText, FormatJSON, FormatSARIF:
		*f = Format(name)
		return nil
	}
	return errors.New("must be text, json or sarif")
}

// String returns the name of the format.
func (f *Format) String() string { return string(*f) }

// Write writes a report. An unknown format is text. The error is that of w.
func Write(w io.Writer, format Format, r scan.Report) error {
	switch format {
	case FormatJSON:
		return writeJSON(w, r)
	case FormatSARIF:
		return writeJSON(w, sarifOf(r))
	case FormatText:
	}
	return writeText(w, r)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
