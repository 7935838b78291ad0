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
// with the name of the longest. Redacting a text a second time changes nothing. [Set.JSON] keeps the shape
// of a document, and a [Writer] comes to the same bytes as [Set.Bytes], however a stream is cut.
//
// A [Holder] stands for a task, a session or a lease. Its markers show the names of what it was given, and
// "[redacted]" for what others were; what it was given stays in the set for a while after its end.
//
// # What is found
//
// A value is found as it is, and with up to 64 bytes of white space and other control characters between
// any two others, those of the value included, none of which count; and in any case of ASCII letters. So line
// ends, indentation, UTF-16, and wrapped encodings make no difference. Of a value of 24 bytes or more, any 16
// bytes in a row are found. A value that has more of them in a row itself is found as it is.
//
// It is found within escapes: those of JSON, Go, C, JavaScript and Python string literals, of URLs, of HTML
// and XML, and of shells, nested two deep, in either case of hexadecimal digits and whatever characters the
// encoder chose to escape; and between the control sequences with which terminals are told colours.
//
// It is found within base64 of both alphabets, padded or not, wrapped or not, wherever it stands in the
// encoded data, also if that was encoded twice, is UTF-16, or has the value in a JSON string or escaped for a
// URL; and within hexadecimal and base32. Of these encodings of a value of 24 bytes or more, parts are found
// as well: 20 characters in a row of base64, 24 of base32, 32 of hexadecimal, 64 of those that are encoded twice,
// escaped or UTF-16 within.
//
// # Structured values
//
// JSON documents, PEM blocks, URLs, web tokens, user:password, connection strings, and settings by lines (dotenv,
// INI, a kubeconfig), also within each other and within base64, are found as a whole. So are their parts, if the
// key of a part is one of credentials or the part looks random; these are then found like other values. The
// rest of a document, such as "us-east-1" or the first line of a PEM block, is no secret and stays. A part of
// fewer than [MinLength] bytes is found with all of its document only.
//
// # Short values
//
// A value of fewer than [MinLength] bytes would turn ordinary text into markers. [Set.Add] refuses it with
// [ErrShort]; [Set.AddShort] takes it and masks it only where it stands as a word of its own, as text or
// escaped, never within an encoding. What no text can do without, such as true or {, it refuses with [ErrCommon].
//
// # What is not found
//
// Reversible changes that are not listed above: other encodings, compression, encryption, a value that is
// reversed or taken apart into separate texts, more than 64 control characters put into it, white space in
// wrapped base64 that a query writes as "+", runs of fewer than 16 bytes. A value that holds
// escapes, or begins or ends as one does beside bytes that make it one, is found in what common encoders write. A
// marker of this set that stands in a text ends what stands before it, so a value that itself holds one is not
// found. Redaction is a net; code that must not have a value must not be given it.
//
// # Errors
//
// If redacting panics, the text is withheld: [Withheld] takes its place, a [Writer] returns [ErrFailed], and
// [Set.Failures] counts it.
//
// # Concurrency
//
// All methods of a [Set] and of a [Holder] may be called at the same time. Redacting takes a read lock.
// Adding and removing values take turns and change only what belongs to them; tables that are full are made
// anew beside those that are searched, so that redacting does not wait for that. Text without a value costs
// no allocation.
package redact
