package operation

// A Name is the suffix that an operation has in the name of its activity.
type Name string

// The operations of a provider.
const (
	Create  Name = "sandbox_client_create"
	Resume  Name = "sandbox_client_resume"
	Delete  Name = "sandbox_client_delete"
	Start   Name = "sandbox_session_start"
	Stop    Name = "sandbox_session_stop"
	Shut    Name = "sandbox_session_shutdown"
	Running Name = "sandbox_session_running"
	Exec    Name = "sandbox_session_exec"
	Read    Name = "sandbox_session_read"
	Write   Name = "sandbox_session_write"
	Persist Name = "sandbox_session_persist_workspace"
	Hydrate Name = "sandbox_session_hydrate_workspace"
	PTYExec Name = "sandbox_session_pty_exec_start"
	PTYSend Name = "sandbox_session_pty_write_stdin"
)

// Names lists all operations.
func Names() []Name {
	return []Name{
		Create, Resume, Delete, Start, Stop, Shut, Running, Exec, Read, Write, Persist, Hydrate, PTYExec, PTYSend,
	}
}

// Activity is the name of the activity that carries the operation out. The provider's name is taken as it is.
func (n Name) Activity(provider string) string { return provider + "-" + string(n) }

// CleanUp reports whether the operation only ends something. It needs no secret, and nothing may hold it up.
func (n Name) CleanUp() bool { return n == Stop || n == Shut || n == Delete }
