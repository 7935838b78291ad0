package interceptor

import (
	"strconv"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// What follows collects the identifiers that options carry: strings that reach the
// server as they are, past every converter. TestEveryTextOfTheSDKsOptions finds those
// that a newer SDK adds.

// addEach adds the items of a list.
func addEach(m map[string]string, label string, texts []string) map[string]string {
	for i, text := range texts {
		m = addText(m, label+"."+strconv.Itoa(i), text)
	}
	return m
}

// addHeaders adds a Nexus operation's headers, those without a value too: their names
// are the caller's.
//
// A map is read into a map: order plays no part.
//
//workflowcheck:ignore
func addHeaders(m, headers map[string]string) map[string]string {
	if len(headers) > 0 && m == nil {
		m = make(map[string]string, len(headers))
	}
	for name, value := range headers {
		m["header "+name] = value
	}
	return m
}

// addRetry adds what a retry policy names.
func addRetry(m map[string]string, p *temporal.RetryPolicy) map[string]string {
	if p == nil {
		return m
	}
	return addEach(m, "non_retryable_error_types", p.NonRetryableErrorTypes)
}

// addVersion adds the version that a run is sent to.
func addVersion(m map[string]string, o client.VersioningOverride) map[string]string {
	var v worker.WorkerDeploymentVersion
	switch o := o.(type) {
	case *client.PinnedVersioningOverride:
		if o != nil {
			v = o.Version
		}
	case *client.OneTimeVersioningOverride:
		if o != nil {
			v = o.TargetVersion
		}
	}
	return addText(addText(m, "deployment_name", v.DeploymentName), "build_id", v.BuildID)
}

// addSpec adds the texts of a schedule's times.
func addSpec(m map[string]string, s client.ScheduleSpec) map[string]string {
	m = addEach(m, "cron_expressions", s.CronExpressions)
	m = addText(m, "time_zone_name", s.TimeZoneName)
	for _, list := range []struct {
		label     string
		calendars []client.ScheduleCalendarSpec
	}{{"calendars", s.Calendars}, {"skip", s.Skip}} {
		for i, c := range list.calendars {
			m = addText(m, list.label+"."+strconv.Itoa(i)+".comment", c.Comment)
		}
	}
	return m
}
