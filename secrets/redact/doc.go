// Package redact finds registered secret values in text and puts markers in their place.
//
// # Usage
//
// A [Set] holds the values that must not leave the process. Whoever obtains a value registers it before
// anyone else can see it; whoever lets text out passes it through the set:
//
//	set := redact.NewSet()
//	if err := set.Add("env:GITHUB_TOKEN", token); err != nil {
//		return err
//	}
//	text, hits := set.String(output)
//
// Each place where a value stood becomes one marker, "[redacted:env:GITHUB_TOKEN]". The marker shows the
// name only: no length, no hash, no part of the value. Values that overlap in the text become one marker,
// with the name of the longest. Redacting a text a second time changes nothing.
//
// # Forms
//
// A value is found as it is; with surrounding white space trimmed; with its line ends as LF, as CR LF or
// turned into spaces; escaped as in JSON, Go, JavaScript and Python string literals, whatever characters
// the encoder chose to escape and in either hex case, also when the result was escaped again; and inside
// base64 in the standard and the URL alphabet, padded or not, in one piece or wrapped into lines of 16 or
// more characters, wherever the value stands in the encoded data. Bytes that are no UTF-8 are also found
// as the replacement characters that JSON encoders write for them.
//
// Other encodings (URL escapes, hex, entities, compressed or encrypted data) and parts of a value are not
// found.
//
// # Short values
//
// A value of fewer than [MinLength] bytes would turn ordinary text into markers. [Set.Add] refuses it with
// [ErrShort]; [Set.AddShort] takes it and masks it only where it stands as a word of its own, as text or
// escaped, never within base64.
//
// # Concurrency
//
// All methods of a [Set] may be called at the same time. Readers take no lock: they work on an immutable
// snapshot, which a change replaces. Text without a value costs no allocation.
package redact
