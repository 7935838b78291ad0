package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"
)

// part is a text that is looked for on behalf of a value: the value itself, or a credential within it.
type part struct {
	text  string
	whole bool // whether runs of it are no hits, since it is partly public: keys, host names, headers
}

// maxNesting bounds documents within documents: a key within JSON, as base64, within YAML.
const maxNesting = 4

// parts lists a value and the credentials within it.
func parts(value string) []part {
	p := partList{seen: map[string]bool{value: true}}
	structured := p.split(value, 0)
	return append([]part{{text: value, whole: structured}}, p.list...)
}

type partList struct {
	list []part
	seen map[string]bool
}

// add takes a credential, and those within it.
func (p *partList) add(text string, depth int) {
	text = trim(text)
	if len(canonical(text)) < MinLength || p.seen[text] {
		return
	}
	p.seen[text] = true
	at := len(p.list)
	p.list = append(p.list, part{text: text})
	p.list[at].whole = p.split(text, depth+1)
}

// leaf takes a value that stands under a key, if that or its looks say that it is a credential. What is no
// credential itself may hold one.
func (p *partList) leaf(key, text string, depth int) {
	text = trim(text)
	if isCredentialKey(key) && !isReserved(text) && !(isVagueKey(key) && isWords(text)) || !p.split(text, depth+1) && isRandom(text) {
		p.add(text, depth)
	}
}

// base64 takes the credentials within a document that is encoded.
func (p *partList) base64(text string, depth int) bool {
	if len(text) < 2*MinLength {
		return false
	}
	data, err := base64.StdEncoding.DecodeString(text)
	return err == nil && utf8.Valid(data) && p.split(string(data), depth+1)
}

// split takes the credentials within a document, and reports whether text is one.
func (p *partList) split(text string, depth int) bool {
	if depth > maxNesting {
		return false
	}
	for _, form := range []func(string, int) bool{p.json, p.pem, p.settings, p.url, p.jwt, p.lines, p.address, p.pair, p.base64} {
		if form(text, depth) {
			return true
		}
	}
	return false
}

// json takes the leaves of an object or array: service accounts, docker configurations and others.
func (p *partList) json(text string, depth int) bool {
	if text == "" || text[0] != '{' && text[0] != '[' || !json.Valid([]byte(text)) {
		return false
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return false
	}
	p.walk("", v, depth)
	return true
}

func (p *partList) walk(key string, v any, depth int) {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			p.walk(k, x, depth)
		}
	case []any:
		for _, x := range v {
			p.walk(key, x, depth)
		}
	case string:
		p.leaf(key, v, depth)
		if isBasicKey(key) { // base64 of user:password
			if pair, err := base64.StdEncoding.DecodeString(v); err == nil {
				p.pair(string(pair), depth)
			}
		}
	}
}

// pem takes the bodies of blocks. Their lines are runs of them.
func (p *partList) pem(text string, _ int) bool {
	const begin, end, dashes = "-----BEGIN ", "-----END ", "-----"
	rest, is := text, false
	for {
		_, block, ok := strings.Cut(rest, begin)
		if !ok {
			return is
		}
		kind, block, ok := strings.Cut(block, dashes)
		if !ok {
			return is
		}
		is = true
		body, after, _ := strings.Cut(block, end)
		rest = after
		if strings.HasSuffix(kind, "CERTIFICATE") || strings.HasSuffix(kind, "PUBLIC KEY") {
			continue
		}
		if headers := strings.LastIndex(body, ": "); headers >= 0 { // of an encrypted key
			if _, below, ok := strings.Cut(body[headers:], "\n\n"); ok {
				body = below
			}
		}
		body = strings.ReplaceAll(body, `\n`, "\n") // as environment variables often hold it
		if body = strings.Join(strings.Fields(body), "\n"); len(body) >= MinLength && !p.seen[body] {
			p.seen[body] = true
			p.list = append(p.list, part{text: body})
		}
	}
}

// url takes the user information and the credentials in the query of a URL.
func (p *partList) url(text string, depth int) bool {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok || scheme == "" || strings.ContainsAny(text, " \n\t\"") || strings.ContainsAny(scheme, "/?#@") {
		return false
	}
	authority := rest
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		authority = rest[:i]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, password, both := strings.Cut(authority[:at], ":")
		if !both {
			user, password = "", user
		}
		if name, err := url.PathUnescape(user); err == nil && isRandom(name) {
			p.add(name, depth) // a token instead of a user
		}
		if !isReserved(password) {
			p.add(password, depth)
			if plain, err := url.PathUnescape(password); err == nil {
				p.add(plain, depth)
			}
		}
	}
	if _, path, ok := strings.Cut(authority, "/"); ok {
		for segment := range strings.SplitSeq(path, "/") {
			plain, err := url.PathUnescape(segment)
			if _, token, ok := strings.Cut(plain, ":"); err == nil && (isRandom(plain) || ok && isRandom(token)) {
				p.add(segment, depth) // a web hook's, or that of a bot
				p.add(plain, depth)
			}
		}
	}
	_, query, _ := strings.Cut(rest, "?")
	query, _, _ = strings.Cut(query, "#")
	_, parameters, _ := strings.Cut(rest, ";") // as JDBC writes them
	for _, s := range splitSettings(parameters, ';') {
		p.leaf(s.key, s.value, depth)
	}
	_, fragment, _ := strings.Cut(rest, "#")
	for _, list := range []string{query, fragment} {
		for pair := range strings.SplitSeq(list, "&") {
			key, v, _ := strings.Cut(pair, "=")
			p.leaf(key, v, depth)
			if plain, err := url.QueryUnescape(v); err == nil {
				p.leaf(key, plain, depth)
			}
		}
	}
	return true
}

// jwt takes the claims and the signature of a token: its header is the same for many.
func (p *partList) jwt(text string, _ int) bool {
	header, rest, ok := strings.Cut(text, ".")
	claims, signature, both := strings.Cut(rest, ".")
	if !ok || !both || strings.ContainsAny(signature, ". \n") {
		return false
	}
	data, err := base64.RawURLEncoding.DecodeString(header)
	if err != nil || !json.Valid(data) || data[0] != '{' {
		return false
	}
	if text = claims + "." + signature; len(text) >= MinLength && !p.seen[text] {
		p.seen[text] = true
		p.list = append(p.list, part{text: text})
	}
	return true
}

// lines takes the values of lines of the form KEY=value or key: value: dotenv, INI, YAML of a kubeconfig.
func (p *partList) lines(text string, depth int) bool {
	var settings []setting
	for line := range strings.Lines(text) {
		line = trim(line)
		line = strings.TrimPrefix(strings.TrimPrefix(line, "export "), "- ")
		if line == "" || line == "---" || line[0] == '#' || line[0] == ';' || line[0] == '[' && line[len(line)-1] == ']' {
			continue
		}
		i := strings.IndexAny(line, "=:")
		if i <= 0 || !isKey(strings.TrimSpace(line[:i])) {
			return false
		}
		v := strings.TrimSpace(line[i+1:])
		if line[i] == ':' && v != "" && line[i+1] != ' ' {
			return false
		}
		settings = append(settings, setting{strings.TrimSpace(line[:i]), unquoted(uncommented(v))})
	}
	if len(settings) == 0 {
		return false
	}
	if !strings.Contains(text, "\n") && !isCredentialKey(settings[0].key) && !isVariable(settings[0].key) {
		return false // base64 that ends in "=", or an opaque token with one inside
	}
	for _, s := range settings {
		p.leaf(s.key, s.value, depth)
	}
	return true
}

// settings takes the values of connection strings: key=value, with semicolons between them as for SQL Server and
// Azure, with commas behind the host as for Redis, or with spaces as libpq has them.
func (p *partList) settings(text string, depth int) bool {
	for _, sep := range []byte("; ,") {
		list := splitSettings(text, sep)
		if sep == ',' {
			host, rest, _ := strings.Cut(text, ",")
			if list = splitSettings(rest, sep); !strings.Contains(host, ".") && !strings.Contains(host, ":") || strings.ContainsAny(host, "= \"'{[") {
				continue
			}
		}
		if len(list) > 1 {
			for _, s := range list {
				p.leaf(s.key, s.value, depth)
			}
			return true
		}
	}
	return false
}

// setting is one of a list of keys and values.
type setting struct{ key, value string }

// splitSettings returns nil unless all of the text is settings. Values may be quoted, in braces as ODBC has them, too.
func splitSettings(text string, sep byte) (list []setting) {
	if strings.ContainsAny(text, "\n\r") {
		return nil
	}
	for rest := text; ; {
		rest = strings.TrimLeft(rest, " "+string(sep))
		if rest == "" {
			return list
		}
		key, v, ok := strings.Cut(rest, "=")
		if key = trim(key); !ok || !isKey(strings.ReplaceAll(key, " ", "")) {
			return nil
		}
		end := quotedEnd(v)
		if i := strings.IndexByte(v[end:], sep); i >= 0 {
			end += i
		} else {
			end = len(v)
		}
		list = append(list, setting{key, unquoted(trim(v[:end]))})
		rest = v[end:]
	}
}

// quotedEnd is where the quotes end that a value begins with, 0 if there are none.
func quotedEnd(v string) int {
	if v == "" {
		return 0
	}
	end := v[0]
	switch end {
	case '\'', '"':
	case '{':
		end = '}'
	default:
		return 0
	}
	return strings.IndexByte(v[1:], end) + 1
}

// uncommented is the value of a line without what follows it.
func uncommented(v string) string {
	end := quotedEnd(v)
	if i := strings.Index(v[end:], " #"); i >= 0 {
		return trim(v[:end+i])
	}
	return v
}

// address takes the password of an address as MySQL's drivers write it: user:password@protocol(host:port)/name.
func (p *partList) address(text string, depth int) bool {
	at := strings.LastIndexByte(text, '@')
	if at < 0 || strings.ContainsAny(text, " \n\t") {
		return false
	}
	_, rest, ok := strings.Cut(text[at:], "(")
	user, password, both := strings.Cut(text[:at], ":")
	if !ok || !both || !strings.Contains(rest, ")/") || !isKey(user) {
		return false
	}
	p.add(password, depth)
	return true
}

// unquoted is a value without the quotes that it stands in.
func unquoted(v string) string {
	if n := len(v); n >= 2 && (v[0] == '"' || v[0] == '\'' || v[0] == '{') && quotedEnd(v) == n-1 {
		return v[1 : n-1]
	}
	return v
}

// isHash reports whether a name is that of a hash, which stands before the digest of something public.
func isHash(name string) bool {
	switch name {
	case "md5", "sha1", "sha256", "sha384", "sha512":
		return true
	}
	return false
}

// pair takes the password of user:password.
func (p *partList) pair(text string, depth int) bool {
	user, password, ok := strings.Cut(text, ":")
	if !ok || user == "" || len(user) > 64 || isHash(user) || strings.ContainsAny(text, " \n\t/") || !isKey(user) {
		return false
	}
	if _, _, more := strings.Cut(password, ":"); !more && len(password) >= MinLength {
		p.add(password, depth)
	}
	return false // what is left, the name, is too little to make all of it public
}
