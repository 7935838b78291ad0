package output

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/internal/scan"
)

// The part of SARIF 2.1.0 that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifResult struct {
		RuleID     string          `json:"ruleId"`
		RuleIndex  int             `json:"ruleIndex"`
		Level      string          `json:"level"`
		Message    sarifMessage    `json:"message"`
		Locations  []sarifLocation `json:"locations"`
		Properties sarifProperties `json:"properties"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
	// sarifProperties hold the fingerprint as well: as a fingerprint of SARIF it
	// would have to be the same in the next scan.
	sarifProperties struct {
		Fingerprint string `json:"fingerprint"`
		Count       int    `json:"count"`
		Runs        int    `json:"runs"`
		Running     int    `json:"running"`
		Schedules   int    `json:"schedules"`
		Activities  int    `json:"activities"`
	}
)

// sarifOf makes a log of one run.
func sarifOf(r scan.Report) sarifLog {
	run := sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "sandboxguard", InformationURI: "https://github.com/sandboxguard/sandboxguard", Rules: []sarifRule{},
		}},
		Invocations: []sarifInvocation{{ExecutionSuccessful: r.Complete}},
		Results:     []sarifResult{},
	}
	note := func(text string) {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{"warning", sarifMessage{text}})
	}
	for _, n := range r.NotScanned {
		note("not looked into: " + n.Reason + ", " + times(n.Count))
	}
	for _, p := range r.Problems {
		note(p)
	}
	rules := &run.Tool.Driver.Rules
	for _, c := range r.Credentials {
		index := slices.IndexFunc(*rules, func(rule sarifRule) bool { return rule.ID == c.Rule })
		if index < 0 {
			index = len(*rules)
			*rules = append(*rules, sarifRule{c.Rule, sarifMessage{c.Kind + " in workflow history"}})
		}
		run.Results = append(run.Results, sarifResult{
			RuleID: c.Rule, RuleIndex: index, Level: "error", Message: sarifMessage{message(c)}, Locations: locations(c),
			Properties: sarifProperties{c.Fingerprint, c.Count, c.Runs, c.Running, c.Schedules, c.Activities},
		})
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

func message(c scan.Credential) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s, %s.", c.Kind, c.Fingerprint, seen(c))
	for _, a := range c.Next {
		b.WriteString(" " + a.Text)
	}
	return b.String()
}

// locations are the files, each with the places as logical locations; without
// files they are the runs and schedules.
func locations(c scan.Credential) []sarifLocation {
	var places []sarifLogical
	for _, p := range c.Places {
		places = append(places, sarifLogical{p.String(), "member"})
	}
	var out []sarifLocation
	for _, s := range c.Samples {
		if s.Source == "" {
			logical := append([]sarifLogical{{sample(s), "object"}}, places...)
			out = append(out, sarifLocation{Logical: logical})
			continue
		}
		file := &sarifPhysical{sarifArtifact{strings.ReplaceAll(filepath.ToSlash(s.Source), " ", "%20")}}
		if !slices.ContainsFunc(out, func(l sarifLocation) bool { return l.Physical != nil && *l.Physical == *file }) {
			out = append(out, sarifLocation{Physical: file, Logical: places})
		}
	}
	return out
}
