package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/zricethezav/gitleaks/v8/cmd/generate/config/rules" // what exampleSets runs
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"

	"github.com/sandboxguard/sandboxguard/validation"
)

const gitleaks = "github.com/zricethezav/gitleaks/v8"

// exampleSet is what gitleaks validates one of its rules with.
type exampleSet struct {
	Rule      string
	Positives []string
}

// exampleSets gets the positive examples of all default rules. They exist only
// while gitleaks generates its configuration, and partly at random; so a copy of its
// generator runs here that writes them down.
func exampleSets(t *testing.T) []exampleSet {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", gitleaks).Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	theirs := filepath.Join(dir, "gitleaks")
	if err := os.CopyFS(theirs, os.DirFS(strings.TrimSpace(string(out)))); err != nil {
		t.Fatal(err)
	}
	replacement, err := os.ReadFile(filepath.Join("testdata", "validate.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	validate := filepath.Join(theirs, "cmd", "generate", "config", "utils", "validate.go")
	if err := os.Chmod(validate, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(validate, replacement, 0o600); err != nil {
		t.Fatal(err)
	}
	generate := exec.CommandContext(t.Context(), "go", "run", "./cmd/generate/config", filepath.Join(dir, "out.toml"))
	generate.Dir = theirs
	generate.Env = append(generate.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var said bytes.Buffer
	generate.Stderr = &said
	written, err := generate.Output()
	sets := decode(t, written)
	if len(sets) < 200 {
		t.Fatalf("%d rules with examples, error %v:\n%s", len(sets), err, said.String())
	}
	return sets
}

func decode(t *testing.T, written []byte) []exampleSet {
	t.Helper()
	var sets []exampleSet
	for d := json.NewDecoder(bytes.NewReader(written)); ; {
		var set exampleSet
		err := d.Decode(&set)
		if errors.Is(err, io.EOF) {
			return sets
		}
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
}

// listed are the default rules of gitleaks for what validation knows by a form of its
// own. What both only know by a name beside it is left out, since the examples of
// those rules are random and a text may look less random than others. So are
// telegram-bot-api-token, jwt and jwt-base64: our rules ask for more than theirs (the
// AA of all Telegram tokens, a header that decodes) and leave base64 to the scan.
var listed = []string{
	"1password-service-account-token", "age-secret-key", "alibaba-access-key-id", "anthropic-admin-api-key", "anthropic-api-key",
	"aws-access-token", "databricks-api-token", "digitalocean-access-token", "digitalocean-pat", "digitalocean-refresh-token",
	"doppler-api-token", "flyio-access-token", "gcp-api-key", "github-app-token", "github-fine-grained-pat", "github-oauth",
	"github-pat", "github-refresh-token", "gitlab-cicd-job-token", "gitlab-deploy-token", "gitlab-feature-flag-client-token",
	"gitlab-feed-token", "gitlab-incoming-mail-token", "gitlab-kubernetes-agent-token", "gitlab-oauth-app-secret", "gitlab-pat",
	"gitlab-pat-routable", "gitlab-ptt", "gitlab-rrt", "gitlab-runner-authentication-token",
	"gitlab-runner-authentication-token-routable", "gitlab-scim-token", "grafana-api-key", "grafana-cloud-api-token",
	"grafana-service-account-token", "hashicorp-tf-api-token", "heroku-api-key-v2", "huggingface-access-token",
	"huggingface-organization-api-token", "linear-api-key", "new-relic-user-api-key", "notion-api-token", "npm-access-token",
	"openai-api-key", "perplexity-api-key", "planetscale-api-token", "planetscale-oauth-token", "planetscale-password",
	"postman-api-token", "prefect-api-token", "private-key", "pulumi-api-token", "pypi-upload-token", "rubygems-api-token",
	"sendgrid-api-token", "sendinblue-api-token", "sentry-org-token", "sentry-user-token", "shippo-api-token",
	"shopify-access-token", "shopify-custom-access-token", "shopify-private-app-access-token", "shopify-shared-secret",
	"sidekiq-sensitive-url", "slack-app-token", "slack-bot-token", "slack-config-access-token", "slack-config-refresh-token",
	"slack-legacy-bot-token", "slack-legacy-token", "slack-legacy-workspace-token", "slack-user-token", "slack-webhook-url",
	"stripe-access-token", "twilio-api-key", "vault-batch-token", "vault-service-token",
}

// samples is how often a rule may be given other examples. They are random each time, and a few look like no random
// text at all: a form that is missed is missed in each of them.
const samples = 3

// TestRecallAgainstGitleaks: of the examples of each listed rule we find at least as
// many as gitleaks does.
func TestRecallAgainstGitleaks(t *testing.T) {
	detector, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	var examples map[string][]string
	var ours, theirs int
	missed := listed
	for sample := range samples {
		examples = map[string][]string{}
		for _, set := range exampleSets(t) {
			examples[set.Rule] = append(examples[set.Rule], set.Positives...)
		}
		var again []string
		for _, rule := range missed {
			if len(examples[rule]) == 0 {
				t.Fatalf("%s: gitleaks has no examples", rule)
			}
			our, their := 0, 0
			for _, text := range examples[rule] {
				found := detector.DetectString(text)
				if len(found) > 0 {
					their++
				}
				if overlaps(text, found) {
					our++
				} else if len(found) > 0 {
					t.Logf("%s: not found in %q", rule, text)
				}
			}
			if our < their {
				again = append(again, rule)
			}
			if sample == 0 {
				ours, theirs = ours+our, theirs+their
			}
		}
		if missed = again; len(missed) == 0 {
			break
		}
	}
	for _, rule := range missed {
		t.Errorf("%s: found fewer examples than gitleaks in %d samples", rule, samples)
	}
	t.Logf("%d listed rules: found %d, gitleaks %d", len(listed), ours, theirs)
	ours, theirs = 0, 0
	for _, texts := range examples {
		for _, text := range texts {
			found := detector.DetectString(text)
			if len(found) > 0 {
				theirs++
			}
			if overlaps(text, found) {
				ours++
			}
		}
	}
	t.Logf("all %d rules with examples: found %d, gitleaks %d", len(examples), ours, theirs)
}

// overlaps reports whether we find something of what gitleaks takes for the secret.
func overlaps(text string, theirs []report.Finding) bool {
	for _, f := range validation.DetectCredentials(text) {
		for _, t := range theirs {
			for from := 0; ; {
				at := strings.Index(text[from:], t.Secret)
				if at < 0 || t.Secret == "" {
					break
				}
				if at += from; at < f.End && f.Start < at+len(t.Secret) {
					return true
				}
				from = at + len(t.Secret)
			}
		}
	}
	return false
}
