package validation

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// addShapes adds the credentials that are known by more than a prefix.
func (d *detector) addShapes() {
	d.add("eyJ", alphaBase64URL, matchJWT)
	d.add("BEGIN ", alphaWord, matchPEM)
	d.add(":AA", alphaBase64URL, matchTelegram)
	for _, path := range slackWebhooks {
		d.add(".slack.com/"+path, alphaWord, matchSlackWebhook)
	}
	d.add("/api/webhooks/", alphaDigit, matchDiscordWebhook)
	d.add(".atlasv1.", alphaWord, matchTerraform)
}

// matchWhole reports a text that is nothing but a credential of a kind without a distinctive prefix.
func matchWhole(s string) []Finding {
	switch {
	case len(s) == len("s.")+24 && s[:2] == "s." && run(s, 2, alphaBase62) == 24:
		if body := s[2:]; isMixed(body) && isVaried(body) && !isPlaceholder(body) {
			return []Finding{{Kind: kindVault, Start: 0, End: len(s)}}
		}
	case len(s) >= 57 && len(s) <= 80 && strings.IndexByte("MNO", s[0]) >= 0 && isDiscord(s):
		return []Finding{{Kind: kindDiscord, Start: 0, End: len(s)}}
	}
	return nil
}

// isDiscord reports whether s has the three parts of a bot token, of which the first is a number in base64.
func isDiscord(s string) bool {
	first := run(s, 0, alphaBase64URL)
	if first < 24 || first > 28 || first == len(s) || s[first] != '.' {
		return false
	}
	second := run(s, first+1, alphaBase64URL)
	if from := first + 1 + second + 1; second != 6 || from >= len(s) || run(s, from, alphaBase64URL) != len(s)-from {
		return false
	}
	var id [21]byte
	n, err := base64.RawURLEncoding.Decode(id[:], []byte(s[:first]))
	return err == nil && run(string(id[:n]), 0, alphaDigit) == n
}

// maxJWTHeader is the length up to which the header of a token is decoded.
const maxJWTHeader = 2048

// matchJWT matches three parts in base64 of which the first is a JSON object that names an algorithm.
func matchJWT(s string, at int, found []Finding) []Finding {
	if at > 0 && (s[at-1] == '-' || s[at-1] == '_') || !startsWord(s, at) {
		return found // within longer base64
	}
	header := run(s, at, alphaBase64URL)
	end := at + header
	if header > maxJWTHeader || end >= len(s) || s[end] != '.' {
		return found
	}
	payload := run(s, end+1, alphaBase64URL)
	end += 1 + payload
	const minPayload, minSignature = 4, 16
	if payload < minPayload || end >= len(s) || s[end] != '.' {
		return found
	}
	signature := run(s, end+1, alphaBase64URL)
	end += 1 + signature
	if signature < minSignature || !isVaried(s[end-signature:end]) {
		return found
	}
	var decoded [maxJWTHeader]byte
	n, err := base64.RawURLEncoding.Decode(decoded[:], []byte(s[at:at+header]))
	if err != nil || !bytes.Contains(decoded[:n], []byte(`"alg"`)) || !json.Valid(decoded[:n]) {
		return found
	}
	return add(found, Finding{Kind: kindJWT, Start: at, End: end})
}

// matchPEM matches a private key from its first line to its last, or as far as it goes: line ends may have
// become spaces or escapes.
func matchPEM(s string, at int, found []Finding) []Finding {
	const (
		dashes  = "-----"
		maxLine = 64
		maxKey  = 64 << 10
		minBody = 64
	)
	start := at - len(dashes)
	if start < 0 || s[start:at] != dashes || !strings.HasPrefix(s[at:], "BEGIN ") {
		return found
	}
	label, _, ok := strings.Cut(s[at:min(len(s), at+maxLine)], dashes)
	if !ok || !strings.Contains(label, "PRIVATE KEY") || strings.ContainsAny(label, "\r\n") {
		return found
	}
	body := at + len(label) + len(dashes)
	// The next dashes begin the last line, unless the key was cut short.
	var end int
	limit := body
	if i := strings.Index(s[body:min(len(s), body+maxKey)], dashes); i >= 0 && strings.HasPrefix(s[body+i+len(dashes):], "END ") {
		end = body + i
		limit = end + len(dashes)
		if j := strings.Index(s[limit:min(len(s), limit+maxLine)], dashes); j >= 0 {
			limit += j + len(dashes)
		}
	} else {
		for limit < len(s) && limit < body+maxKey && (alphaBase64.has(s[limit]) || strings.IndexByte("=\\ \t\r\n", s[limit]) >= 0) {
			limit++
		}
		end = limit
	}
	if base64Length(s[body:end]) < minBody {
		return found
	}
	return add(found, Finding{Kind: kindPrivateKey, Start: start, End: limit})
}

// base64Length counts the characters of s that stand in long runs of base64, as lines of a key do.
func base64Length(s string) int {
	const line = 16
	total := 0
	for at := 0; at < len(s); {
		n := run(s, at, alphaBase64)
		if n >= line && isVaried(s[at:at+n]) {
			total += n
		}
		at += n + 1
	}
	return total
}

// matchTelegram matches the number of a bot, a colon and 35 characters of which the first two are AA.
func matchTelegram(s string, at int, found []Finding) []Finding {
	const length, shortest, longest = 35, 8, 10
	end := at + 1 + length
	if runUpTo(s, at+1, alphaBase64URL, length+1) != length {
		return found
	}
	if body := s[at+1 : end]; !isVaried(body) || !isMixed(body) || isPlaceholder(body) {
		return found
	}
	for id := runBack(s, at, alphaDigit, longest); id >= shortest; id-- {
		if start := at - id; startsWord(s, start) {
			return add(found, Finding{Kind: kindTelegram, Start: start, End: end})
		}
	}
	return found
}

// slackWebhooks are the paths of incoming webhooks, without what is secret.
var slackWebhooks = []string{"services/", "workflows/", "triggers/"}

// matchSlackWebhook matches the path of an incoming webhook, which is all that is needed to post.
func matchSlackWebhook(s string, at int, found []Finding) []Finding {
	path := s[at:]
	for _, kind := range slackWebhooks {
		path = strings.TrimPrefix(path, ".slack.com/"+kind)
	}
	if len(path) == len(s)-at || !strings.HasSuffix(s[:at], "hooks") {
		return found
	}
	start := len(s) - len(path)
	end := start + runUpTo(s, start, alphaWebhook, unlimited)
	last := strings.LastIndexByte(s[start:end], '/') + 1
	if key := s[start+last : end]; len(key) < 20 || !isVaried(key) || !isMixed(key) || isPlaceholder(key) {
		return found
	}
	return add(found, Finding{Kind: kindSlackWebhook, Start: start, End: end})
}

// alphaWebhook are the characters of such a path.
var alphaWebhook = newAlphabet(digits, lowers, uppers, "/+")

// matchDiscordWebhook matches the number and key of a webhook.
func matchDiscordWebhook(s string, at int, found []Finding) []Finding {
	path, ok := strings.CutPrefix(s[at:], "/api/webhooks/")
	if !ok || !strings.HasSuffix(s[:at], "discord.com") && !strings.HasSuffix(s[:at], "discordapp.com") {
		return found
	}
	id := run(path, 0, alphaDigit)
	if id < 16 || id >= len(path) || path[id] != '/' {
		return found
	}
	start := len(s) - len(path)
	key := run(path, id+1, alphaBase64URL)
	if body := path[id+1 : id+1+key]; key < 60 || !isVaried(body) || isPlaceholder(body) {
		return found
	}
	return add(found, Finding{Kind: kindDiscordWebhook, Start: start, End: start + id + 1 + key})
}

// alphaTerraform are the characters of the last part of a token.
var alphaTerraform = newAlphabet(digits, lowers, uppers, "-_=")

// matchTerraform matches a token of HCP Terraform around its middle.
func matchTerraform(s string, at int, found []Finding) []Finding {
	const middle, head = ".atlasv1.", 14
	if !strings.HasPrefix(s[at:], middle) || runBack(s, at, alphaBase62, head) < head || !startsWord(s, at-head) {
		return found
	}
	from := at + len(middle)
	n := runUpTo(s, from, alphaTerraform, 71)
	if n < 60 || n > 70 || !isVaried(s[from:from+n]) {
		return found
	}
	return add(found, Finding{Kind: kindTerraform, Start: at - head, End: from + n})
}
