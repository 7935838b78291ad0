package sandboxclient

import (
	"fmt"
	"strings"
)

// The lines that give a patch its structure.
const (
	patchBegin = "*** Begin Patch"
	patchEnd   = "*** End Patch"
	patchEOF   = "*** End of File"
	patchAdd   = "*** Add File: "
	patchDel   = "*** Delete File: "
	patchEdit  = "*** Update File: "
	patchMove  = "*** Move to: "
	patchHunk  = "@@"
)

// A filePatch is what a patch does to one file.
type filePatch struct {
	// header is the line that begins it, up to the path.
	header string
	path   string
	// moveTo is the path that an updated file gets. Empty leaves it where it is.
	moveTo string
	// content is that of an added file.
	content string
	// hunks are those of an updated file.
	hunks []hunk
}

// A hunk is one change of a file.
type hunk struct {
	// anchors are lines that stand before the change, each after the one before it.
	anchors []string
	// lines are those of the change.
	lines []patchLine
	// atEnd has the change at the end of the file.
	atEnd bool
}

// A patchLine is a line that is kept (' '), removed ('-') or added ('+').
type patchLine struct {
	op   byte
	text string
}

// parsePatch reads a patch. Errors name the line by its number and quote nothing.
func parsePatch(text string) ([]filePatch, error) {
	p := &patchParser{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
	for p.more() && strings.TrimSpace(p.line()) == "" {
		p.next++
	}
	for n := len(p.lines); n > p.next && strings.TrimSpace(p.lines[n-1]) == ""; n-- {
		p.lines = p.lines[:n-1]
	}
	if !p.more() || strings.TrimRight(p.line(), " \t") != patchBegin {
		return nil, p.fault("must be " + patchBegin)
	}
	if last := len(p.lines) - 1; strings.TrimRight(p.lines[last], " \t") != patchEnd {
		p.next = last
		return nil, p.fault("must be " + patchEnd)
	}
	p.next++
	p.lines = p.lines[:len(p.lines)-1]
	var files []filePatch
	for p.more() {
		f, err := p.file()
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, p.fault("must be the header of a file")
	}
	return files, nil
}

type patchParser struct {
	lines []string
	next  int
}

func (p *patchParser) more() bool { return p.next < len(p.lines) }

func (p *patchParser) line() string { return p.lines[p.next] }

func (p *patchParser) fault(must string) error {
	return patchError(PatchInvalidDiff, fmt.Sprintf("line %d %s: nothing was changed", p.next+1, must))
}

// header takes the line if it begins as said and returns the rest of it.
func (p *patchParser) header(begin string) (string, bool) {
	if !p.more() {
		return "", false
	}
	path, ok := strings.CutPrefix(p.line(), begin)
	if path = strings.TrimSpace(path); !ok || path == "" {
		return "", false
	}
	p.next++
	return path, true
}

func (p *patchParser) file() (filePatch, error) {
	for _, header := range []string{patchAdd, patchDel, patchEdit} {
		path, ok := p.header(header)
		if !ok {
			continue
		}
		f := filePatch{header: header, path: path}
		var err error
		switch header {
		case patchAdd:
			f.content, err = p.content()
		case patchEdit:
			f.moveTo, _ = p.header(patchMove)
			f.hunks, err = p.hunks(f.moveTo != "")
		}
		return f, err
	}
	return filePatch{}, p.fault("must be the header of a file: Add, Delete or Update File, and its path")
}

// content reads the lines of a new file.
func (p *patchParser) content() (string, error) {
	var b strings.Builder
	for p.more() && !strings.HasPrefix(p.line(), "*** ") {
		text, ok := strings.CutPrefix(p.line(), "+")
		if !ok {
			return "", p.fault("of an added file must begin with +")
		}
		b.WriteString(text + "\n")
		p.next++
	}
	return b.String(), nil
}

// hunks reads the changes of a file, of which there need be none if it is moved.
func (p *patchParser) hunks(moved bool) ([]hunk, error) {
	var hunks []hunk
	for p.more() && (!strings.HasPrefix(p.line(), "*** ") || p.atEnd()) {
		h, err := p.hunk()
		if err != nil {
			return nil, err
		}
		hunks = append(hunks, h)
	}
	if len(hunks) == 0 && !moved {
		return nil, p.fault("must be a change of the file to update")
	}
	return hunks, nil
}

func (p *patchParser) atEnd() bool { return strings.TrimRight(p.line(), " \t") == patchEOF }

// hunk reads one change: lines of context to look for, then its own lines.
func (p *patchParser) hunk() (hunk, error) {
	var h hunk
	for p.more() && strings.HasPrefix(p.line(), patchHunk) {
		if anchor := strings.TrimPrefix(p.line()[len(patchHunk):], " "); strings.TrimSpace(anchor) != "" {
			h.anchors = append(h.anchors, anchor)
		}
		p.next++
	}
	blank := 0 // lines at the end without even a space, which may only set things apart
	for p.more() && !strings.HasPrefix(p.line(), patchHunk) && !h.atEnd {
		line := p.line()
		switch {
		case p.atEnd():
			h.atEnd = true
		case strings.HasPrefix(line, "*** "):
			return h.ended(blank, p)
		case line == "":
			blank++
			h.lines = append(h.lines, patchLine{' ', ""})
		case strings.IndexByte(" -+", line[0]) >= 0:
			blank = 0
			h.lines = append(h.lines, patchLine{line[0], line[1:]})
		default:
			return h, p.fault("of a change must begin with a space, - or +")
		}
		p.next++
	}
	return h.ended(blank, p)
}

// ended is h without blank lines at its end. It must say something.
func (h hunk) ended(blank int, p *patchParser) (hunk, error) {
	h.lines = h.lines[:len(h.lines)-blank]
	for _, l := range h.lines {
		if l.op != ' ' {
			return h, nil
		}
	}
	return h, p.fault("ends a change without a line to add or to remove")
}
