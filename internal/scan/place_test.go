package scan_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestNothingRandomIsShown: names that somebody else chose are shown only when nobody
// could take them for a secret, found or not and encoded or not.
func TestNothingRandomIsShown(t *testing.T) {
	t.Parallel()
	const digits = "8c1f0e7a" + "5d3b9264" + "f7a0c2e1" + "4b6d8f93"
	for _, secret := range []string{password, b64(password), hex.EncodeToString([]byte(password)), digits, b64(githubToken)[:40]} {
		for name, doc := range map[string]string{
			"key":             history("w", scheduled(payload("json/plain", `{"`+secret+`":{"a":"`+githubToken+`"}}`))),
			"key of the list": `{"` + secret + `":"` + githubToken + `"}`,
			"marked key":      `{"a":{"(` + secret + `)":"` + githubToken + `"}}`,
			"metadata":        history("w", scheduled(`{"metadata":{"encoding":"`+b64("json/plain")+`","`+secret+`":"`+b64(githubToken)+`"},"data":"MQ=="}`)),
			"encoding":        history("w", scheduled(payload("binary/"+secret, "\x80"+githubToken))),
			"encoding of it":  history("w", scheduled(payload(secret, "\x80"+githubToken))),
			"type of event":   `{"eventId":"1","eventType":"` + secret + `","a":"` + githubToken + `"}`,
			"time of event":   `{"eventId":"1","eventType":"TimerStarted","eventTime":"` + secret + `","a":"` + githubToken + `"}`,
			"member of event": `{"eventId":"1","eventType":"TimerStarted","` + secret + `":"` + githubToken + `"}`,
		} {
			r := read(t, doc)
			data, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			secretstest.AssertAbsent(t, []string{secret}, data)
			if strings.Contains(name, "encoding") == r.Complete || !r.Complete && r.NotScanned[0].Reason != "encoding (hidden)" {
				t.Errorf("%s: not scanned %v", name, r.NotScanned)
			}
		}
	}
}
