package integration_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// An encoding is how a value stands in what a program sends.
type encoding struct {
	name   string
	encode func(string) string
}

// encodings are those that the census plants. One is one line.
var encodings = []encoding{
	{"raw", func(s string) string { return "token " + s }},
	{"escaped", func(s string) string { return `{"token":"` + jsonEscaped(s) + `"}` }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u:" + s)) }},
	{"base64url", func(s string) string { return base64.URLEncoding.EncodeToString([]byte("user:" + s)) }},
	{"hex", func(s string) string { return hex.EncodeToString([]byte("u:" + s)) }},
	{"percent", func(s string) string { return url.QueryEscape("user:" + s) }},
}

func jsonEscaped(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(data), `"`), `"`)
}

// A cell is one channel in one encoding, with a value of its own: where that is
// found says which cell leaked.
type cell struct {
	row      row
	encoding string
	// name is what policy calls the secret, and ref its reference.
	name, ref string
	value     string
	// text is the value in its encoding, as it is planted.
	text string
	// planted is set once the program had the text in its hands, and refused when
	// the guard refused to let it go.
	planted, refused atomic.Bool
}

func newCell(number int, r row, e encoding) *cell {
	c := &cell{
		row: r, encoding: e.name,
		name: fmt.Sprintf("c%03d-%s", number, e.name),
		ref:  fmt.Sprintf("env:C%03d_%s", number, strings.ToUpper(e.name)),
	}
	// Every encoder has something to do with it, and both alphabets of base64
	// differ in it. No twelve bytes of it are in another cell's value: most of any
	// twelve are random.
	letters := rand.Text() + rand.Text()
	var b strings.Builder
	for at, special := range `"<~/+&\%>?` {
		b.WriteString(letters[3*at:3*at+3] + string(special))
	}
	c.value = b.String() + letters[30:40]
	c.text = e.encode(c.value)
	return c
}

// A planter puts the values of one encoding into the channels of a census.
type planter struct {
	c     *census
	cells map[string]*cell
}

// text returns what to plant in a row. A program that asks for a row that is not
// in the table has no business in the census.
func (p planter) text(name string) string {
	cell := p.cell(name)
	cell.planted.Store(true)
	return cell.text
}

func (p planter) cell(name string) *cell {
	cell := p.cells[name]
	if cell == nil {
		panic("the census has no row " + name)
	}
	return cell
}

// until repeats what others plant in: a call that waits for them too long, on a busy
// machine, comes to nothing.
func (p planter) until(ctx context.Context, t *testing.T, name string, try func()) {
	t.Helper()
	err := harness.Eventually(ctx, func() (bool, error) {
		try()
		return p.cell(name).planted.Load() || p.cell(name).refused.Load(), nil
	})
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// tried notes what became of a call with the text of a row. Other errors than
// refusals come from the server, which does not like every name.
func (p planter) tried(name string, err error) {
	if guard.IsRefused(err) || refusedHere(err) {
		p.cell(name).refused.Store(true)
	}
}
