package bind

// QueueKey is the key of the base task queue in a context of activities or workflows: the queue whose policy is in
// force on the private queue of a host, which is never recognised by its name.
type QueueKey struct{}

// Queue returns the base queue of a context, empty if it names none.
func Queue(ctx interface{ Value(key any) any }) string {
	queue, _ := ctx.Value(QueueKey{}).(string)
	return queue
}
