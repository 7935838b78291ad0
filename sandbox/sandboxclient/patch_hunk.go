package sandboxclient

import (
	"fmt"
	"strings"
)

// maxSteps bounds the comparisons for one file. Workflow code must come to an end soon.
const maxSteps = 1 << 24

// A patched is a text that hunks are applied to, from the first line to the last.
type patched struct {
	// forms are the lines: as they are, without white space at the end, without any around them.
	forms [3][]string
	steps int
}

// applyHunks returns the text with the hunks applied. Kept lines stay as they are in the text, also where the hunk
// has other white space, and added lines get the line ends of the text.
func applyHunks(text string, hunks []hunk) (string, error) {
	end := "\n"
	if n := strings.Count(text, "\n"); n > 0 && n == strings.Count(text, "\r\n") {
		end = "\r\n"
	}
	body, closed := strings.CutSuffix(text, end)
	p := &patched{}
	if text != "" {
		p.forms[0] = strings.Split(body, end)
	}
	for _, line := range p.forms[0] {
		for form := 1; form < len(p.forms); form++ {
			p.forms[form] = append(p.forms[form], lineForm(line, form))
		}
	}
	var out []string
	at := 0 // the first line that is not put out
	for i, h := range hunks {
		start, why := p.find(h, at)
		if why != "" {
			return "", patchError(PatchInvalidDiff, fmt.Sprintf("change %d of the file %s: nothing was changed", i+1, why))
		}
		out = append(out, p.forms[0][at:start]...)
		at = start
		for _, l := range h.lines {
			switch l.op {
			case '+':
				out = append(out, l.text)
			case ' ':
				out = append(out, p.forms[0][at])
				at++
			default:
				at++
			}
		}
	}
	out = append(out, p.forms[0][at:]...)
	if len(out) > 0 && (closed || text == "") {
		return strings.Join(out, end) + end, nil
	}
	return strings.Join(out, end), nil
}

func lineForm(line string, form int) string {
	switch form {
	case 1:
		return strings.TrimRight(line, " \t\r")
	case 2:
		return strings.TrimSpace(line)
	}
	return line
}

// find returns the line that a hunk begins at, which is not before from, or why there is none.
func (p *patched) find(h hunk, from int) (start int, why string) {
	lines := len(p.forms[0])
	insert := -1
	for _, anchor := range h.anchors {
		at := p.index([]string{anchor}, max(from, insert), lines)
		if at < 0 {
			return 0, p.why("begins after a line that the file does not have there")
		}
		from, insert = at, at+1
	}
	var old []string
	for _, l := range h.lines {
		if l.op != '+' {
			old = append(old, l.text)
		}
	}
	switch {
	case len(old) == 0 && (h.atEnd || lines == 0):
		return lines, ""
	case len(old) == 0 && insert < 0:
		return 0, "does not say where its lines go: give a line before or after them"
	case len(old) == 0:
		return insert, ""
	case h.atEnd:
		from = max(from, lines-len(old))
	}
	if start = p.index(old, from, lines); start < 0 {
		return 0, p.why("has lines that the file does not have there")
	}
	return start, ""
}

// why is the reason why lines were not found.
func (p *patched) why(reason string) string {
	if p.steps > maxSteps {
		return "takes too long to look for: give fewer changes at once, with exact lines"
	}
	return reason
}

// index returns where lines are found first, in the first form that finds them, or -1.
func (p *patched) index(lines []string, from, to int) int {
	for form, text := range p.forms {
		for at := from; at+len(lines) <= to; at++ {
			if p.matches(text[at:], lines, form) {
				return at
			}
			if p.steps > maxSteps {
				return -1
			}
		}
	}
	return -1
}

func (p *patched) matches(text, lines []string, form int) bool {
	for i, line := range lines {
		p.steps += 1 + len(line)/32
		if text[i] != lineForm(line, form) {
			return false
		}
	}
	return true
}
