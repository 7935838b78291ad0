package interceptor

import (
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/validation"
)

// registered are the activity types that a worker runs, as far as they were
// registered before it starts.
type registered struct {
	mu    sync.Mutex
	names map[string]bool
	// any is true for a worker with a dynamic activity, which runs every type.
	any bool
}

// watch takes note of what is registered from now on.
func (r *registered) watch(o *worker.PluginConfigureWorkerRegistryOptions) {
	if o == nil {
		return
	}
	next, nextDynamic := o.OnRegisterActivity, o.OnRegisterDynamicActivity
	o.OnRegisterActivity = func(a any, options activity.RegisterOptions) {
		r.add(a, options.Name)
		if next != nil {
			next(a, options)
		}
	}
	o.OnRegisterDynamicActivity = func(a any, options activity.DynamicRegisterOptions) {
		r.mu.Lock()
		r.any = true
		r.mu.Unlock()
		if nextDynamic != nil {
			nextDynamic(a, options)
		}
	}
}

// add finds the names under which the SDK registers a: a function's own, each
// method's of a struct behind the name as a prefix, or the name.
func (r *registered) add(a any, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.names == nil {
		r.names = map[string]bool{}
	}
	t := reflect.TypeOf(a)
	switch {
	case t != nil && t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		for i := range t.NumMethod() {
			r.names[name+t.Method(i).Name] = true
		}
	case name == "" && t != nil && t.Kind() == reflect.Func:
		full := runtime.FuncForPC(reflect.ValueOf(a).Pointer()).Name()
		name = strings.TrimSuffix(full[strings.LastIndexByte(full, '.')+1:], "-fm")
	}
	if name != "" {
		r.names[name] = true
	}
}

// none reports whether the worker runs no activity.
func (r *registered) none() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.names) == 0 && !r.any
}

// runs reports whether the worker runs activities of a type.
func (r *registered) runs(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.any || r.names[name]
}

// maxShown bounds the names in one line of the log.
const maxShown = 20

// warnUnregistered says which activities of the policy the worker does not run.
// Another worker may, so that it still starts; with a default section, which is
// there for all of them, that is nothing to worry about.
func (g *guard) warnUnregistered(queue string, p validation.Policy, r *registered) {
	unknown := slices.DeleteFunc(p.Activities(), r.runs)
	if len(unknown) == 0 || r.none() {
		return
	}
	say := g.log.Warn
	if entryKey(p) == "default" {
		say = g.log.Info
	}
	r.mu.Lock()
	known := slices.Sorted(maps.Keys(r.names))
	r.mu.Unlock()
	say("the policy names activities that this worker did not register: what it grants them does nothing here",
		"queue", queue, "entry", p.Entry(), "activities", someOf(unknown), "registered", someOf(known),
		"fix", "correct the names in "+entryKey(p)+", unless another worker runs these activities")
}

func someOf(names []string) string {
	if len(names) > maxShown {
		names = append(slices.Clone(names[:maxShown]), "...")
	}
	return joinNames(names)
}
