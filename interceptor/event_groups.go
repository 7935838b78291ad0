package interceptor

import (
	"reflect"

	"go.temporal.io/sdk/workflow"
)

// SDK 1.51 lets workflow code attach event groups to what it schedules, whose ids
// are never encoded. They are read by reflection, since the type does not exist
// before. Groups that workflow.WithEventGroups puts into a context are shown to no
// interceptor; the nets see those.

// grouped says for which options the linked SDK has event groups. It is looked up
// once, so that a call on an older SDK pays nothing.
var grouped = map[reflect.Type]bool{}

func init() {
	for _, of := range []reflect.Type{
		reflect.TypeFor[workflow.ActivityOptions](), reflect.TypeFor[workflow.LocalActivityOptions](),
		reflect.TypeFor[workflow.ChildWorkflowOptions](), reflect.TypeFor[workflow.NexusOperationOptions](),
		reflect.TypeFor[workflow.ContinueAsNewErrorOptions](), reflect.TypeFor[workflow.TimerOptions](),
		reflect.TypeFor[workflow.SideEffectOptions](), reflect.TypeFor[workflow.MutableSideEffectOptions](),
	} {
		if _, has := of.FieldByName("EventGroups"); has {
			grouped[of] = true
		}
	}
}

// eventGroups returns the ids and labels of the groups in a call's options, in their order.
//
// What is looked at is the same on every replay.
//
//workflowcheck:ignore
func eventGroups[T any](options T) []string {
	if len(grouped) == 0 || !grouped[reflect.TypeFor[T]()] {
		return nil
	}
	// A copy: the options themselves stay off the heap on an SDK without groups.
	held := options
	groups := reflect.ValueOf(&held).Elem().FieldByName("EventGroups")
	var texts []string
	for i := range groups.Len() {
		for _, field := range groups.Index(i).Fields() {
			if field.Kind() == reflect.String && field.Len() > 0 {
				texts = append(texts, field.String())
			}
		}
	}
	return texts
}

// mustNotGroupBy ends workflow code that puts what it records into a group with a
// secret in its name.
func (o *workflowOutbound) mustNotGroupBy(ctx workflow.Context, groups []string) {
	for _, text := range groups {
		o.mustBeName(ctx, "event group", text)
	}
}
