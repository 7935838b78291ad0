package scan

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
)

const (
	// maxUnpacked bounds what the compressed parts of one event or description become,
	// in bytes. The server ends payloads at 2 MiB.
	maxUnpacked = 64 << 20
	// maxTries bounds how often one text is taken for compressed data and is none.
	maxTries = 32
	// minInflated is how much random data that begins as zlib does hardly ever becomes.
	minInflated = 16
)

// A format is a way to compress data.
type format struct {
	name  string
	magic string // what tells the data
	lead  int    // how many bytes of the data stand before it
	// open reads it; nil when this program cannot.
	open func(*strings.Reader) (io.Reader, error)
}

func openBzip2(r *strings.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }
func openZlib(r *strings.Reader) (io.Reader, error)  { return zlib.NewReader(r) }

// formats are those whose data tells what it is, wherever it begins.
var formats = [...]format{
	{name: "gzip", magic: magicGzip, open: openGzip},
	{name: "bzip2", magic: "1AY&SY", lead: len("BZh9"), open: openBzip2},
	{name: "zstd", magic: "\x28\xb5\x2f\xfd"},
	{name: "xz", magic: "\xfd7zXZ\x00"},
	{name: "lz4", magic: "\x04\x22\x4d\x18"},
	{name: "snappy", magic: "\xff\x06\x00\x00sNaPpY"},
	{name: "zip", magic: "PK\x03\x04"},
	{name: "7z", magic: "7z\xbc\xaf\x27\x1c"},
}

// formatZlib has two bytes that tell it, which is too little to look for it anywhere
// but at the beginning.
var formatZlib = format{name: "zlib", open: openZlib}

const magicGzip = "\x1f\x8b\x08"

// openGzip reads data of one or several members, up to something else.
func openGzip(r *strings.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{z, r}, nil
}

// members reads one member of gzip after the other.
type members struct {
	z   *gzip.Reader
	src *strings.Reader
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.z.Read(p)
	var next [len(magicGzip)]byte
	if errors.Is(err, io.EOF) {
		if _, short := m.src.ReadAt(next[:], m.src.Size()-int64(m.src.Len())); short == nil && string(next[:]) == magicGzip {
			err = m.z.Reset(m.src)
			m.z.Multistream(false)
		}
	}
	return n, err
}

// isMarked reports whether s begins with data of one of the formats.
func isMarked(s string) bool {
	for i := range formats {
		if f := &formats[i]; len(s) > f.lead && strings.HasPrefix(s[f.lead:], f.magic) {
			return true
		}
	}
	return false
}

// isZlib reports whether s begins with the header of RFC 1950 of data that needs no
// dictionary.
func isZlib(s string) bool {
	const deflate, maxWindow, dictionary = 8, 7, 0x20
	return len(s) >= minText && s[0]&0xf == deflate && s[0]>>4 <= maxWindow && s[1]&dictionary == 0 &&
		(int(s[0])<<8|int(s[1]))%31 == 0
}

// isGzip reports whether s begins with a header of gzip all of whose fields have a
// value that RFC 1952 knows. Random data has the magic of 3 bytes, too.
func isGzip(s string) bool {
	const flags, level, system = 3, 8, 9
	return len(s) > system && s[flags]&0xe0 == 0 && (s[level] == 0 || s[level] == 2 || s[level] == 4) &&
		(s[system] <= 13 || s[system] == 255)
}

// A search finds the formats in a text, and looks at no byte twice for the same one.
type search struct {
	s    string
	next [len(formats)]int // where each of them stands next; -1 is not known
}

func newSearch(s string) search {
	f := search{s: s}
	for i := range f.next {
		f.next[i] = -1
	}
	return f
}

// from returns where the first of the formats stands at or behind a place; start is
// the end of the text when there is none.
func (f *search) from(at int) (which, start int) {
	start = len(f.s)
	for i := range formats {
		if lead := formats[i].lead; f.next[i] < at {
			f.next[i] = len(f.s)
			if rest := f.s[min(len(f.s), at+lead):]; len(rest) > 0 {
				if j := strings.Index(rest, formats[i].magic); j >= 0 {
					f.next[i] = at + j
				}
			}
		}
		if f.next[i] < start {
			which, start = i, f.next[i]
		}
	}
	return which, start
}

// binary looks at what has bytes that texts of ASCII do not have: into the compressed
// data in it and at what stands between. What cannot be unpacked is counted as not
// scanned, once a format, and looked at as it is. It reports whether anything was
// unpacked or counted.
func (w *walker) binary(key, s string) (packed bool) {
	done := 0 // what was looked at
	if isZlib(s) {
		done, packed = w.zlib(key, s)
	}
	var failed [len(formats)]int
	found := newSearch(s)
	for at := done; ; at++ {
		var i int
		if i, at = found.from(at); at == len(s) {
			break
		}
		f := &formats[i]
		if f.magic == magicGzip && at > 0 && !isGzip(s[at:]) {
			continue
		}
		packed = true
		if f.open != nil && failed[i] < maxTries {
			if n, ok := w.packed(key, f, s[at:]); ok {
				w.loose(key, s[done:at])
				done = at + n
				at = done - 1
				continue
			}
		}
		if failed[i]++; failed[i] == 1 {
			w.run.skip(reasonPacked + f.name)
		}
	}
	w.loose(key, s[done:])
	return packed
}

// packed looks into the compressed data that s begins with, and returns how much of s
// it is; ok is false when not all of it could be read.
func (w *walker) packed(key string, f *format, s string) (n int, ok bool) {
	data, n, err := w.unpack(f, s)
	if data != "" {
		w.deeperText("("+f.name+")", func() { w.text(key, data) })
	}
	return n, err == nil
}

// zlib is the same for what may be zlib or no compressed data at all: then not even
// its first bytes can be unpacked, unless they happen to be cut off, or it is a text.
func (w *walker) zlib(key, s string) (n int, packed bool) {
	data, n, err := w.unpack(&formatZlib, s)
	if err != nil {
		if n = 0; isText(s, false) || len(data) < minInflated && !errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, false
		}
		w.run.skip(reasonPacked + formatZlib.name)
	}
	if data != "" {
		w.deeperText("("+formatZlib.name+")", func() { w.text(key, data) })
	}
	return n, true
}

// unpack returns the data that s begins with the compressed form of, up to an error,
// and how much of s that is. The error is io.ErrShortBuffer when it is too large.
func (w *walker) unpack(f *format, s string) (data string, n int, err error) {
	src := strings.NewReader(s)
	r, err := f.open(src)
	if err != nil {
		return "", 0, err
	}
	var b bytes.Buffer
	read, err := io.Copy(&b, io.LimitReader(r, w.room+1))
	if read > w.room {
		b.Truncate(int(w.room))
		read, err = w.room, io.ErrShortBuffer
	}
	w.room -= read
	return b.String(), len(s) - src.Len(), err
}
