package scan

import (
	"strconv"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
)

// known looks at the object at the cursor if it is an event or a description, and
// reports whether it was.
func (w *walker) known(c *cursor) (done bool, err error) {
	look := *c
	members, err := membersOf(&look)
	if err != nil {
		return false, err
	}
	switch {
	case members["eventId"] != "" && (members["eventType"] != "" || members["eventTime"] != ""):
		err = w.event(*c, members)
	case isObject(members["workflowExecutionInfo"]):
		err = w.description(*c, members)
	case isObject(members["execution"]) && members["status"] != "" && isObject(members["type"]):
		w.scan.begin(w, subjectRun)
		err = w.execution(*c, members)
	case members["activityId"] != "" && members["status"] != "" && isObject(members["activityType"]):
		err = w.activity(*c, members)
	case isActivity(members["info"]):
		err = w.activity(*c, membersIn(members["info"]))
	case isObject(members["schedule"]) && fieldOf(members["schedule"], "spec", "action") != "":
		w.scan.begin(w, subjectSchedule)
		w.run.workflow.ID = first(unquoted(members["scheduleId"]), w.run.workflow.ID)
		err = w.inContext(Place{Event: "schedule"}, fieldOf(members["info"], "createTime"), *c)
	default:
		// Another document; one that is an event goes on with the run before it.
		if len(w.path) == 0 && w.run.kind != subjectDocument {
			w.scan.begin(w, subjectDocument)
		}
		return false, nil
	}
	*c = look
	return true, err
}

// membersOf reads the members of an object as they stand there. Of a name that
// occurs more than once it keeps the first; who walks the object sees all.
func membersOf(c *cursor) (map[string]string, error) {
	members := map[string]string{}
	for more := c.enter(); more; {
		name, err := c.key()
		if err != nil {
			return nil, err
		}
		raw, err := c.skip()
		if err != nil {
			return nil, err
		}
		if _, known := members[name]; !known {
			members[name] = raw
		}
		if more, err = c.next(); err != nil {
			return nil, err
		}
	}
	return members, nil
}

func isObject(raw string) bool { return strings.HasPrefix(raw, "{") }

// fieldOf returns the first of the named members of an object that is there, as it
// stands, or "".
func fieldOf(raw string, names ...string) string {
	members := membersIn(raw)
	for _, name := range names {
		if members[name] != "" {
			return members[name]
		}
	}
	return ""
}

// membersIn returns the members of an object that was skipped, nil of other values.
func membersIn(raw string) map[string]string {
	if !isObject(raw) {
		return nil
	}
	c := cursor{s: raw}
	members, err := membersOf(&c)
	if err != nil {
		return nil
	}
	return members
}

// unquoted returns the text of a string, or a number as it stands.
func unquoted(raw string) string {
	if !strings.HasPrefix(raw, `"`) {
		return raw
	}
	c := cursor{s: raw}
	s, err := c.str()
	if err != nil {
		return ""
	}
	return s
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// typeOf returns the name of an event's type, whichever way it is written.
func typeOf(raw string) string {
	s := unquoted(raw)
	if n, err := strconv.ParseInt(s, 10, 32); err == nil {
		return enumspb.EventType(n).String()
	}
	if t, err := enumspb.EventTypeFromString(s); err == nil {
		return t.String()
	}
	if (step{key: s, index: -1}).String() != s {
		return masked
	}
	return s // of a later server
}

// ends are the types of a run's last event.
var ends = map[string]bool{
	"WorkflowExecutionCompleted": true, "WorkflowExecutionFailed": true, "WorkflowExecutionTimedOut": true,
	"WorkflowExecutionCanceled": true, "WorkflowExecutionTerminated": true, "WorkflowExecutionContinuedAsNew": true,
}

// event looks at an event.
func (w *walker) event(c cursor, members map[string]string) error {
	id, typ := unquoted(members["eventId"]), typeOf(members["eventType"])
	if w.run.kind != subjectRun || id == "1" && w.run.events > 0 {
		w.scan.begin(w, subjectRun)
	}
	w.run.events++
	w.run.running = !ends[typ]

	var attributes map[string]string
	for name, raw := range members {
		if strings.HasSuffix(name, "EventAttributes") && isObject(raw) {
			look := cursor{s: raw}
			var err error
			if attributes, err = membersOf(&look); err != nil {
				return err
			}
		}
	}
	return w.inContext(w.run.place(id, typ, attributes), members["eventTime"], c)
}

// inContext walks an event or description.
func (w *walker) inContext(at Place, when string, c cursor) error {
	before := *w
	w.context, w.seen, w.path, w.outer = at, unquoted(when), nil, false
	w.room = maxUnpacked
	err := w.members(&c)
	run := w.run
	*w = before
	w.run = run
	return err
}

// flat are members whose own members stand for themselves in places.
var flat = map[string]bool{"workflowExecutionInfo": true}

// flatOfActivity are the same in what the server says of a standalone activity.
var flatOfActivity = map[string]bool{"info": true, "outcome": true}

// members walks an object that an event or description is.
func (w *walker) members(c *cursor) error {
	for index, more := 0, c.enter(); more; index++ {
		name, err := c.key()
		if err != nil {
			return err
		}
		switch {
		case (flat[name] || w.context.Event == eventActivity && flatOfActivity[name] || strings.HasSuffix(name, "EventAttributes")) && c.peek() == '{':
			err = w.object(c, name)
		case name == "pendingActivities" && c.peek() == '[':
			err = w.pending(c)
		default:
			w.enter(step{key: name, index: index})
			err = w.value(c, w.nameOf(name))
			w.leave(1)
		}
		if err == nil {
			more, err = c.next()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// description looks at what the server says of one run.
func (w *walker) description(c cursor, members map[string]string) error {
	look := cursor{s: members["workflowExecutionInfo"]}
	info, err := membersOf(&look)
	if err != nil {
		return err
	}
	w.scan.begin(w, subjectRun)
	return w.execution(c, info)
}

// execution looks at a description whose facts about the run are info.
func (w *walker) execution(c cursor, info map[string]string) error {
	w.run.workflow.ID = first(unquoted(fieldOf(info["execution"], "workflowId")), w.run.workflow.ID)
	w.run.workflow.RunID = first(unquoted(fieldOf(info["execution"], "runId")), w.run.workflow.RunID)
	w.run.workflow.Type = first(unquoted(fieldOf(info["type"], "name")), w.run.workflow.Type)
	switch unquoted(info["status"]) {
	case "WORKFLOW_EXECUTION_STATUS_RUNNING", "Running", "1":
		w.run.running = true
	default:
		w.run.running = false
	}
	return w.inContext(Place{Event: "describe", Name: shown(w.run.workflow.Type)}, info["startTime"], c)
}

// eventActivity is the place of a standalone activity.
const eventActivity = "activity"

// isActivity reports whether an object says of which activity something is.
func isActivity(info string) bool {
	return fieldOf(info, "activityId") != "" && fieldOf(info, "status") != "" && isObject(fieldOf(info, "activityType"))
}

// activity looks at a description of a standalone activity, or at a row of a list of
// them, whose facts are info.
func (w *walker) activity(c cursor, info map[string]string) error {
	w.scan.begin(w, subjectActivity)
	r := w.run
	r.workflow = Workflow{
		ID:    first(unquoted(info["activityId"]), r.workflow.ID),
		RunID: first(unquoted(info["runId"]), r.workflow.RunID),
		Type:  first(unquoted(fieldOf(info["activityType"], "name")), r.workflow.Type),
	}
	switch unquoted(info["status"]) {
	case "ACTIVITY_EXECUTION_STATUS_RUNNING", "ACTIVITY_EXECUTION_STATUS_PAUSED", "Running", "Paused", "1", "7":
		r.running = true
	default:
		r.running = false
	}
	at := Place{Event: eventActivity, Name: shown(r.workflow.Type), Queue: shown(unquoted(info["taskQueue"]))}
	return w.inContext(at, info["scheduleTime"], c)
}

// pending looks at the activities that have not ended.
func (w *walker) pending(c *cursor) error {
	for more := c.enter(); more; {
		raw, err := c.skip()
		if err != nil {
			return err
		}
		if isObject(raw) {
			look := cursor{s: raw}
			members, err := membersOf(&look)
			if err != nil {
				return err
			}
			at := Place{Event: "pending activity", Name: shown(unquoted(fieldOf(members["activityType"], "name")))}
			when := first(members["lastHeartbeatTime"], members["lastStartedTime"], members["scheduledTime"])
			if err := w.inContext(at, when, cursor{s: raw}); err != nil {
				return err
			}
		}
		if more, err = c.next(); err != nil {
			return err
		}
	}
	return nil
}
