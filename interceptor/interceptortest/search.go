package interceptortest

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
)

const (
	// maxLayers bounds how many encodings within each other are taken off.
	maxLayers = 6
	// maxInflated bounds what is read of compressed data, in bytes.
	maxInflated = 16 << 20
	// maxStreams bounds how many beginnings of compressed data are tried in one
	// field.
	maxStreams = 16
)

// A layer takes one kind of encoding off data and hands on what it finds below:
// all of it, or each part that was encoded. least is the length of the shortest
// text that is worth handing on.
type layer struct {
	name string
	peel func(data []byte, least int, next func([]byte))
}

var layers = []layer{
	{"escaped", unescaped},
	{"percent", percentDecoded},
	{"hex", hexDecoded},
	{"base64", base64Decoded},
	{"compressed", inflated},
}

// search calls hit for each value in data with the form it has there.
func (n needles) search(data []byte, hit func(value int, form string)) {
	n.below(data, "", 0, hit)
}

func (n needles) below(data []byte, form string, depth int, hit func(value int, form string)) {
	if len(data) < n.least {
		return
	}
	n.scan(data, func(value int) {
		if form == "" {
			hit(value, "raw")
			return
		}
		hit(value, form)
	})
	if depth == maxLayers {
		return
	}
	for _, l := range layers {
		name := l.name
		if form != "" {
			name = form + ", " + name
		}
		l.peel(data, n.least, func(peeled []byte) { n.below(peeled, name, depth+1, hit) })
	}
}

// inflated reads gzip and zlib streams wherever one begins, also within a message
// that was encoded.
func inflated(data []byte, _ int, next func([]byte)) {
	tried := 0
	for at := 0; at+2 < len(data) && tried < maxStreams; at++ {
		var r io.Reader
		var err error
		switch {
		case data[at] == 0x1f && data[at+1] == 0x8b && data[at+2] == 8:
			r, err = gzip.NewReader(bytes.NewReader(data[at:]))
		case data[at] == 0x78 && (uint(data[at])<<8|uint(data[at+1]))%31 == 0:
			r, err = zlib.NewReader(bytes.NewReader(data[at:]))
		default:
			continue
		}
		tried++
		if err != nil {
			continue
		}
		// What comes before a fault, as trailing bytes of another field are, counts.
		if out, _ := io.ReadAll(io.LimitReader(r, maxInflated)); len(out) > 0 {
			next(out)
		}
	}
}
