package interceptor

// cleanRecorded hides credentials in a value that workflow code is about to
// record and read back. A value that cannot be cleaned is replaced by a text
// that says so: a side effect cannot fail.
func (g *guard) cleanRecorded(c cleaner, v any, queue string) any {
	out, hits, err := c.value(v)
	if err != nil {
		return withheldText
	}
	if hits > 0 {
		g.log.Warn("hid credentials in a recorded value", "queue", queue, "hits", hits)
	}
	return out
}
