// Package zapguard keeps secret values out of zap logs, and writes audit records to them.
//
// # Usage
//
// [NewCore] puts a guard in front of a core. Every logger on top of it, and every logger made of one of
// these, writes markers where registered values stood:
//
//	logger = logger.WithOptions(zap.WrapCore(func(core zapcore.Core) zapcore.Core {
//		return zapguard.NewCore(core, set)
//	}))
//
// The set is a [Redactor], such as that of package secrets/redact. Values may be added to it at any time:
// what is logged afterwards is redacted. Fields that were bound to a logger by With have been rendered
// already, with the values of that time.
//
// [NewSink] makes a logger the destination of the guard's audit.
//
// # What is redacted
//
// The message, the name of the logger, the stack trace, the keys of fields, and all content that can hold
// text: strings, bytes, errors with their verbose form and causes, Stringers, objects and arrays to any
// depth, and the texts of panics and errors that occur while these are rendered. What zap would render by
// reflection is rendered to JSON once, redacted and passed on as [encoding/json.RawMessage]. A number of four
// digits or more that hold a value is replaced by a marker as a whole, and so is a duration in nanoseconds.
//
// Booleans, times, the level and the caller are passed on as they are.
//
// # Concurrency
//
// Cores and sinks may be used by several goroutines, as far as what they write to may.
package zapguard
