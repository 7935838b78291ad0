package main

import "github.com/sandboxguard/sandboxguard/integration_test/internal/harness"

func (d *demo) dump() {
	for _, e := range d.release.History.GetEvents() {
		d.say("%d %s %s %v", e.GetEventId(), e.GetEventTime().AsTime().Format("05.000"), e.GetEventType(), e.GetWorkflowTaskTimedOutEventAttributes())
		if a := e.GetWorkflowTaskScheduledEventAttributes(); a != nil {
			d.say("   %v", a.GetTaskQueue())
		}
		if a := e.GetWorkflowTaskStartedEventAttributes(); a != nil {
			d.say("   %v", a)
		}
	}
	_ = harness.Count
	d.quote(string(d.plainLog.kept.Bytes()))
	d.quote(string(d.guardedLog.kept.Bytes()))
}
