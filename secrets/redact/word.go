package redact

import "bytes"

// word is a value with too few canonical bytes to be looked for among them, or with gaps too wide for that. It is
// found as it is.
type word struct {
	text    string
	owner   *entry
	bounded bool // whether it must stand between word boundaries
}

// addWords indexes a value as a word; one that holds escapes also as what encoders make of the whole, since what is
// left of it when these are decoded may not be a word.
func (x *index) addWords(e *entry) {
	texts := []string{e.value}
	if len(decodedForms(e.value)) > 0 {
		texts = append(texts, escapedForms(e.value)...)
	}
	for _, text := range texts {
		x.words = append(x.words, word{text: text, owner: e, bounded: len(e.value) < MinLength})
	}
	x.shortest = min(x.shortest, len(e.value))
}

// scanWord adds each place in t where w stands to f, and reports whether that is enough.
func scanWord[T text](t T, w *word, before, after byte, f *found) bool {
	for at := 0; ; at++ {
		i := indexByte(t[at:], w.text[0])
		if i < 0 {
			return false
		}
		at += i
		if hasAt(t, at, w.text) && (!w.bounded || bounded(t, at, at+len(w.text), before, after)) && f.add(at, at+len(w.text), w.owner) {
			return true
		}
	}
}

// wordsAtStart adds the start of t to f if a word stands there: levels of decoding from the given one on have
// the same text as t, but something else before it.
func (x *index) wordsAtStart(t []byte, e edges, level int, f *found) {
	for i := range x.words {
		w := &x.words[i]
		if !hasAt(t, 0, w.text) {
			continue
		}
		for _, before := range e.before[min(level, len(e.before)):] {
			if bounded(t, 0, len(w.text), before, e.after) {
				f.add(0, len(w.text), w.owner)
			}
		}
	}
}

// bounded reports whether no word goes on over either end of t[start:end].
func bounded[T text](t T, start, end int, before, after byte) bool {
	if start > 0 {
		before = t[start-1]
	}
	if end < len(t) {
		after = t[end]
	}
	return !(isWord(before) && isWord(t[start])) && !(isWord(after) && isWord(t[end-1]))
}

// open returns the position from which on t may be the beginning of the word, the end if nowhere.
func (w *word) open(t []byte) int {
	for at := max(0, len(t)-len(w.text)); at < len(t); at++ {
		if bytes.HasPrefix([]byte(w.text), t[at:]) {
			return at
		}
	}
	return len(t)
}

// isWord reports whether c is part of a word; each byte of a non-ASCII character counts as one.
func isWord(c byte) bool {
	return c >= 0x80 || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
