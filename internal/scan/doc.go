// Package scan finds literal credentials in Temporal histories and in what the
// server shows beside them, and groups what it finds by credential.
//
// A [Scan] reads JSON: what the command line of Temporal and the SDK export, one
// document or many, and what a program makes of the messages of a live server. It
// knows events, payloads and descriptions by their form wherever they stand, looks
// into payloads that are nested, encoded as base64 or compressed, and reads every
// text and key of a document, so that a field of a later server is looked at too.
// What it recognises and cannot look into it counts.
//
// A value that was found is kept in memory until the Scan is dropped and is never
// part of a [Report]: reports have a fingerprint under a key that each Scan makes
// anew. Names that hold a value, or anything with the form of one, are masked, and a
// key or encoding that looks random is not shown.
package scan
