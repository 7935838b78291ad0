package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// width is the longest line that the demo prints.
const width = 100

// A page is what the demo prints on. Every line is kept within width. Activities
// print too, so it takes one line after the other.
type page struct {
	mu   sync.Mutex
	out  io.Writer
	then time.Time // when the step began
}

// step begins a numbered step and says in a sentence what it shows.
func (p *page) step(number int, title, sentence string) {
	p.then = time.Now()
	p.wrap("", "", "")
	p.wrap("", "    ", fmt.Sprintf("(%d) %s", number, title))
	p.say("%s", sentence)
	p.wrap("", "", "")
}

// done ends a step.
func (p *page) done(format string, args ...any) {
	p.say("=> %s (%.1f s)", fmt.Sprintf(format, args...), time.Since(p.then).Seconds())
}

// say prints a line, and goes on below its beginning where it is too long.
func (p *page) say(format string, args ...any) {
	p.wrap("    ", "    ", fmt.Sprintf(format, args...))
}

// quote prints text from elsewhere with its own lines.
func (p *page) quote(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		own := line[:len(line)-len(strings.TrimLeft(line, " "))]
		p.wrap("      | "+own, "      |   "+own, strings.TrimLeft(line, " "))
	}
}

// wrap prints words below each other so that no line is longer than width. A
// word that does not fit on a line of its own is broken.
func (p *page) wrap(first, others, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := first
	for {
		room := width - utf8.RuneCountInString(line)
		if utf8.RuneCountInString(text) <= room {
			fmt.Fprintln(p.out, strings.TrimRight(line+text, " "))
			return
		}
		head, tail := split(text, room)
		fmt.Fprintln(p.out, strings.TrimRight(line+head, " "))
		line, text = others, tail
	}
}

// split takes from text what fits into room characters, up to a space, else up
// to a comma, unless that leaves most of the line empty.
func split(text string, room int) (head, tail string) {
	end := 0
	for i := range text {
		if room--; room < 0 {
			end = i
			break
		}
	}
	if space := strings.LastIndexByte(text[:end+1], ' '); space > end/2 {
		return text[:space], strings.TrimLeft(text[space:], " ")
	}
	if comma := strings.LastIndexByte(text[:end], ','); comma > end/2 {
		end = comma + 1
	}
	return text[:end], text[end:]
}
