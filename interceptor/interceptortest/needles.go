package interceptortest

import (
	"bytes"
	"encoding/binary"
)

const (
	// window is how many bytes of a value in a row are a find.
	window = 12
	// headBits is the size of the filter before the table of windows.
	headBits = 20
)

// needles are the pieces of values that give them away.
type needles struct {
	// heads filters the bytes at which no window can begin.
	heads   []uint64
	windows map[[window]byte]int
	short   []short
	// least is the length of the shortest piece.
	least int
}

// short is a value that is shorter than a window.
type short struct {
	text  []byte
	value int
}

func newNeedles(values []string) needles {
	n := needles{heads: make([]uint64, 1<<headBits/64), windows: map[[window]byte]int{}, least: window}
	for i, v := range values {
		if len(v) < window {
			if v != "" {
				n.short = append(n.short, short{[]byte(v), i})
				n.least = min(n.least, len(v))
			}
			continue
		}
		for at := 0; at+window <= len(v); at++ {
			w := [window]byte([]byte(v[at:]))
			if _, taken := n.windows[w]; !taken {
				n.windows[w] = i
			}
			h := head(w[:])
			n.heads[h/64] |= 1 << (h % 64)
		}
	}
	return n
}

// head is a hash of the first bytes of a window.
func head(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * 2654435761 >> (32 - headBits)
}

// scan calls hit for each value that has a piece in data as it is, once.
func (n needles) scan(data []byte, hit func(value int)) {
	seen := map[int]bool{}
	once := func(value int) {
		if !seen[value] {
			seen[value] = true
			hit(value)
		}
	}
	for at := 0; at+window <= len(data); at++ {
		h := head(data[at:])
		if n.heads[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		if value, ok := n.windows[[window]byte(data[at:])]; ok {
			once(value)
		}
	}
	for _, s := range n.short {
		if bytes.Contains(data, s.text) {
			once(s.value)
		}
	}
}
