package probe

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Report is what came of a probe. Its zero value is that of no probe.
type Report struct {
	// Probe is the probe's id.
	Probe string `json:"probe"`
	// Safe is whether the probe got at nothing. It is missing in what is no report.
	Safe *bool `json:"safe"`
	// Detail says what was tried, or what the probe got at.
	Detail string `json:"detail"`
	// Unknown is whether nothing is known, which is not safe either.
	Unknown bool `json:"-"`
}

// Safe returns the report of a probe that got at nothing.
func Safe(name, detail string) Report {
	yes := true
	return Report{Probe: name, Safe: &yes, Detail: detail}
}

// Unsafe returns the report of a probe that got at something.
func Unsafe(name, detail string) Report {
	no := false
	return Report{Probe: name, Safe: &no, Detail: detail}
}

// Unknown returns the report of a probe of which nobody knows whether it could get at something.
func Unknown(name, detail string) Report {
	r := Unsafe(name, detail)
	r.Unknown = true
	return r
}

// IsSafe reports whether the report says so.
func (r Report) IsSafe() bool { return r.Safe != nil && *r.Safe }

// MaxOutput bounds the output of a probe in bytes.
const MaxOutput = 64 << 10

// Judge returns the report in the output of a process that was to be the named probe. Anything else than one report of
// that probe, from a process that ended well, is unsafe: what a probe does not say was not shown.
func Judge(name string, output []byte, exit int, err error) Report {
	switch {
	case err != nil:
		return Unknown(name, "the probe could not be run: "+err.Error())
	case exit != 0:
		return Unknown(name, fmt.Sprintf("the probe ended with exit code %d", exit))
	}
	r, err := parse(output)
	switch {
	case err != nil:
		return Unknown(name, "the probe gave no report: "+err.Error())
	case r.Probe != name:
		return Unknown(name, "the report is that of another probe")
	}
	return r
}

var (
	errNothing = errors.New("it put out nothing")
	errOutput  = errors.New("its output is not one report")
)

// parse returns the one report that data is.
func parse(data []byte) (Report, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Report{}, errNothing
	}
	if len(data) > MaxOutput {
		return Report{}, errOutput
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var r Report
	if err := d.Decode(&r); err != nil || r.Safe == nil || r.Detail == "" {
		return Report{}, errOutput
	}
	if rest := bytes.TrimSpace(data[d.InputOffset():]); len(rest) > 0 {
		return Report{}, errOutput
	}
	return r, nil
}
