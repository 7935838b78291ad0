package scan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxDocument bounds one JSON document. The server ends a history at 50 MiB.
const maxDocument = 256 << 20

// ErrDocument is what errors about the form of a document wrap.
var ErrDocument = errors.New("scan: document not read")

// A documents cuts a stream into objects and arrays of JSON, in any white space, and holds one at a time.
type documents struct {
	src    io.Reader
	buf    []byte
	start  int   // of what was not handed out
	offset int64 // of buf[0] in the stream
	ended  bool
}

// next returns the next document, which is good until the next call; io.EOF when
// there is none. Every other error ends the stream and wraps [ErrDocument] or the
// error of the reader.
func (d *documents) next() ([]byte, error) {
	for {
		for d.start < len(d.buf) && isBetween(d.buf[d.start]) {
			d.start++
		}
		if d.start < len(d.buf) {
			break
		}
		if d.ended {
			return nil, io.EOF
		}
		if err := d.fill(); err != nil {
			return nil, err
		}
	}
	m := measure{}
	for {
		if n, ok := m.advance(d.buf[d.start:]); ok {
			doc := d.buf[d.start : d.start+n]
			d.start += n
			return doc, nil
		}
		switch {
		case m.broken:
			return nil, fmt.Errorf("%w: byte %d is not JSON", ErrDocument, d.offset+int64(d.start)+int64(m.at))
		case d.ended:
			return nil, fmt.Errorf("%w: it ends within the document that begins at byte %d", ErrDocument, d.offset+int64(d.start))
		case len(d.buf)-d.start > maxDocument:
			return nil, fmt.Errorf("%w: the document that begins at byte %d is larger than %d MiB", ErrDocument, d.offset+int64(d.start), maxDocument>>20)
		}
		if err := d.fill(); err != nil {
			return nil, err
		}
	}
}

// isBetween reports whether b may stand between documents: white space, and the
// bytes of the byte order mark that some tools begin a file with.
func isBetween(b byte) bool { return b <= ' ' || b == 0xef || b == 0xbb || b == 0xbf }

// fill reads more, and moves what was not handed out to the front of a buffer
// that is large enough.
func (d *documents) fill() error {
	const first = 256 << 10
	rest := len(d.buf) - d.start
	if cap(d.buf)-rest < max(first, rest)/2 {
		grown := make([]byte, rest, max(first, 2*cap(d.buf)))
		copy(grown, d.buf[d.start:])
		d.buf = grown
	} else {
		copy(d.buf[:rest], d.buf[d.start:])
		d.buf = d.buf[:rest]
	}
	d.offset += int64(d.start)
	d.start = 0
	n, err := d.src.Read(d.buf[len(d.buf):cap(d.buf)])
	d.buf = d.buf[:len(d.buf)+n]
	if errors.Is(err, io.EOF) {
		d.ended = true
		return nil
	}
	return err
}

// A measure finds the end of an object or array in a text that comes in pieces.
// It looks at strings and brackets only; the cursor does the rest.
type measure struct {
	at     int // how far the text was looked at
	depth  int
	quoted bool // within a string
	broken bool // the text is neither an object nor an array
}

// advance looks at the part of text that is new since the last call, and returns
// the length of the value when it ends there.
func (m *measure) advance(text []byte) (length int, ok bool) {
	for m.at < len(text) {
		if m.quoted {
			if !m.inString(text) {
				return 0, false
			}
			continue
		}
		switch b := text[m.at]; b {
		case '"':
			m.quoted = true
		case '{', '[':
			m.depth++
		case '}', ']':
			m.depth--
			if m.depth == 0 {
				return m.at + 1, true
			}
		}
		if m.depth <= 0 {
			m.broken = true
			return 0, false
		}
		m.at++
	}
	return 0, false
}

// inString steps to the end of the string, or of the text; in the second case it
// stops before an escape that is not complete.
func (m *measure) inString(text []byte) (more bool) {
	rest := text[m.at:]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		end = len(rest)
	}
	if slash := bytes.IndexByte(rest[:end], '\\'); slash >= 0 {
		if slash+1 == len(rest) {
			m.at += slash
			return false
		}
		m.at += slash + 2
		return true
	}
	m.at += end
	if m.at < len(text) {
		m.quoted = false
		m.at++
	}
	return true
}
