package probe

// probes are the probes by id.
var probes = map[string]func(Task, *found){
	"environment": environment,
	"arguments":   arguments,
	"files":       files,
	"neighbours":  neighbours,
	"descriptors": func(Task, *found) {}, // see early
	"mounts":      mounts,
	"settings":    settings,
	"privileges":  privileges,
	"namespaces":  namespaces,
	"identity":    identity,
	"sockets":     sockets,
	"reconnect":   reconnect,
	"surfaces":    surfaces,
	"memory":      memory,
	"terminal":    terminal,
	"devices":     devices,
	"survivors":   survivors,

	"limit-processes":  limitProcesses,
	"limit-open_files": limitOpenFiles,
}

// early are what probes must look at before the program opens anything itself.
var early = map[string]func(*found){"descriptors": descriptors}

// roles are the parts that the program plays besides.
var roles map[string]role

func init() { // they name each other
	roles = map[string]role{"nothing": nothing, "hold": hold, "tree": tree, "push": push}
}
