package scan

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
)

// maxUnpacked bounds what the compressed parts of one event or description become,
// in bytes. The server ends payloads at 2 MiB.
const maxUnpacked = 64 << 20

// A format is a way to compress data.
type format struct {
	name  string
	magic string // what the data begins with
	weak  bool   // texts may begin so, too
	// open reads it; nil when this program cannot.
	open func(io.Reader) (io.Reader, error)
}

func openGzip(r io.Reader) (io.Reader, error)  { return gzip.NewReader(r) }
func openZlib(r io.Reader) (io.Reader, error)  { return zlib.NewReader(r) }
func openBzip2(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }

// formats are those whose data tells that it is compressed.
var formats = []format{
	{name: "gzip", magic: "\x1f\x8b\x08", open: openGzip},
	{name: "bzip2", magic: "BZh", open: openBzip2, weak: true},
	{name: "zlib", magic: "x\x01", open: openZlib, weak: true},
	{name: "zlib", magic: "x\x9c", open: openZlib, weak: true},
	{name: "zlib", magic: "x\xda", open: openZlib, weak: true},
	{name: "zstd", magic: "\x28\xb5\x2f\xfd"},
	{name: "xz", magic: "\xfd7zXZ\x00"},
	{name: "lz4", magic: "\x04\x22\x4d\x18"},
	{name: "snappy", magic: "\xff\x06\x00\x00sNaPpY"},
	{name: "zip", magic: "PK\x03\x04"},
	{name: "7z", magic: "7z\xbc\xaf\x27\x1c"},
}

// packedFirst are the bytes that compressed data begins with.
var packedFirst = func() (set [256]bool) {
	for _, f := range formats {
		set[f.magic[0]] = true
	}
	return set
}()

// formatOf returns the format that s begins with, or nil.
func formatOf(s string) *format {
	if len(s) < minText || !packedFirst[s[0]] {
		return nil
	}
	for i, f := range formats {
		if strings.HasPrefix(s, f.magic) {
			return &formats[i]
		}
	}
	return nil
}

func isPacked(s string) bool { return formatOf(s) != nil }

// packed looks into compressed data, and reports whether s is any. What cannot be
// unpacked is counted as not scanned, unless it may be no such data at all.
func (w *walker) packed(key, s string) bool {
	f := formatOf(s)
	if f == nil {
		return false
	}
	if f.open == nil {
		w.run.skip(reasonPacked + f.name)
		return true
	}
	data, err := w.unpack(f, s)
	switch {
	case err != nil && len(data) == 0 && f.weak:
		return false
	case err != nil:
		w.run.skip(reasonPacked + f.name)
	}
	w.deeperText("("+f.name+")", func() { w.text(key, data) })
	return true
}

// unpack returns the data that s was made of, up to an error: io.ErrShortBuffer when
// it is too large.
func (w *walker) unpack(f *format, s string) (string, error) {
	r, err := f.open(strings.NewReader(s))
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, w.room+1))
	if n > w.room {
		b.Truncate(int(w.room))
		n, err = w.room, io.ErrShortBuffer
	}
	w.room -= n
	return b.String(), err
}
