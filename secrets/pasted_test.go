package secrets_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// names are what people call secrets.
var names = strings.Fields(`
	API_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AZURE_CLIENT_SECRET_PRODUCTION_EU CI_JOB_TOKEN
	DATABASE_URL DATABASE_URL_READONLY_REPLICA_EU_WEST_1 DB_PASSWORD DD_API_KEY DOCKER_AUTH_CONFIG
	GH_TOKEN GITHUB_TOKEN GITHUB_APP_PRIVATE_KEY_BASE64 GOOGLE_APPLICATION_CREDENTIALS_JSON
	HF_TOKEN HUGGINGFACE_HUB_TOKEN KMS_KEY_V2 MY_SK_KEY NPM_TOKEN npm_config_registry_auth_token
	OAUTH2_CLIENT_SECRET OAUTH2CLIENTSECRETPRODUCTION OPENAI_API_KEY OPENAI_ORG_2024Q3_API_KEY PGPASSWORD
	PROD_OPENAI_KEY REPORTS_API_TOKEN S3_SECRET_KEY_EU1 SENDGRID_API_KEY SG_TOKEN SK_LIVE SLACK_WEBHOOK
	SLACK_BOT_TOKEN_XOXB SNOWFLAKE_PRIVATE_KEY_PASSPHRASE STRIPE_SECRET_KEY_LIVE_MODE_2025
	TEMPORAL_CLOUD_API_KEY_NAMESPACE_A1B2C TF_VAR_cloudflare_api_token TWILIO_AUTH_TOKEN
	VERYLONGNAMEWITHOUTANYUNDERSCORES WAREHOUSE_RO_DSN X509_CLIENT_CERT_SHA256 _ a A1 K8S_TOKEN
	githubDeployTokenForReleaseEngineering dataPlatformReportsTokenV2 http_proxy
`)

// paths are names of secrets in files and vaults.
var paths = strings.Fields(`
	token tls.key tls.crt ca-bundle.pem id_ed25519 id_ecdsa_sk .dockerconfigjson ..data/token
	github/deploy-token release-eng/github/deploy-token-2025 postgres/ro/password.txt
	kv/data-platform/reports kv/prod/eu-west-1/orders/db-credentials secret/data/team-a/service-b
	transit/release database/creds/readonly-orders-reporting pki/issue/internal-example-com
	kv/3f9c1a77-1b2c-4d5e-8f90-aabbccddeeff kv/tenants/acme-corp-00042/stripe aws/sts/deploy-role-2024-10
	projects/analytics-prod-123456/secrets/warehouse-password k8s/ns-1/sa-token oauth2/google/refresh-token
	2025-01-31/backup-key v1.2.3-rc.4/signing-key apps/my-service_v2/config.yaml sha256/pins sketches/key
	skeleton-key eyjafjallajokull/token akia/notes ghp/readme hf/token glpat/readme
	node-17-pool-4-eu-west-1b-kubelet-client-2024-09-30
`)

func TestNamesAreNotPastedValues(t *testing.T) {
	t.Parallel()
	for _, name := range names {
		if err := secrets.EnvRef(name).Validate(); err != nil {
			t.Errorf("env name %s: %v", name, err)
		}
	}
	for _, name := range append(paths, names...) {
		for _, ref := range []secrets.Ref{
			secrets.FileRef(name),
			{Provider: "vault", Name: name},
			{Provider: "vault", Name: "kv/app", Field: name},
		} {
			if err := ref.Validate(); err != nil {
				t.Errorf("%v", err)
			}
		}
	}
}

// pasted are made-up values in the forms of real ones. They are put together
// here so that no scanner takes this file for a leak.
var pasted = map[string]string{
	"GitHub token":              "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
	"GitHub token, cut":         "ghp_" + "16C7",
	"GitHub fine-grained token": "github_pat_" + "11ABCDEFG0abcdefghijkl_ABCDEFGHIJ",
	"GitHub app token":          "ghs_" + "abc",
	"GitLab token":              "glpat-" + "xYz12345_abcdEFGH",
	"OpenAI key":                "sk-" + "proj-abcdefghijklmnop",
	"Stripe key":                "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
	"live key":                  "sk-live-" + "abc",
	"Slack bot token":           "xoxb-" + "123456789012-abcdef",
	"Slack app token":           "xapp-" + "1-A0",
	"AWS access key":            "AKIA" + "IOSFODNN7EXAMPLE",
	"AWS session key":           "ASIA" + "IOSFODNN7EXAMPLE",
	"AWS secret key":            "wJalrXUtnFE9I/K7MDe2G/" + "bPx8fiCYzQ1kW5hT0vUd",
	"Google key":                "AIza" + "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe",
	"Google token":              "ya29." + "a0AfH6SMBx",
	"JWT":                       "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP",
	"Vault token":               "hvs." + "CAESIJlWm",
	"npm token":                 "npm_" + "1234567890abcdefghijklmnopqrstuvwxyz",
	"Hugging Face token":        "hf_" + "abcdefghijklmnopqrstuvwx",
	"SendGrid key":              "SG." + "abcdefghijklmnop.qrstuvwxyz",
	"age key":                   "AGE-SECRET-KEY-" + "1QQQQ",
	"PEM":                       "-----BEGIN " + "PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
	"PEM without spaces":        "-----BEGIN" + "-PRIVATE-KEY-----MIIE",
	"pass phrase":               "correct horse battery staple",
	"newline":                   "hunter2\n",
	"tab":                       "user\thunter2",
	"hex digest":                "0cc175b9c0f1b6a831c399e269772661",
	"capital hex":               "0CC175B9C0F1B6A831C399E269772661",
	"base62":                    "q3TzX9bV1mK8sLw2Rf7Y",
	"base64url":                 "Zk3_q9XbV1mK8-sLw2Rf7YtG4hNc0PaE",
	"base64 with slashes":       "Zk3/q9XbV1mK8sLw2Rf7YtG4/hNc0PaE",
	"base32":                    "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
	"a token in a path":         "kv/app/ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
}

func TestPastedValuesAreRefusedAndMasked(t *testing.T) {
	t.Parallel()
	for name, value := range pasted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for where, ref := range map[string]secrets.Ref{
				"env":   secrets.EnvRef(value),
				"file":  secrets.FileRef(value),
				"vault": {Provider: "vault", Name: value},
				"field": {Provider: "vault", Name: "kv/app", Field: value},
			} {
				err := ref.Validate()
				if !errors.Is(err, secrets.ErrInvalid) {
					t.Errorf("%s: Validate() = %v, want ErrInvalid", where, err)
					continue
				}
				if !strings.Contains(err.Error(), "looks like a value") {
					t.Errorf("%s: the error does not say that a value was pasted: %v", where, err)
				}
				for shown, text := range map[string]string{"error": err.Error(), "reference": ref.String(), "value": secrets.From(ref).String()} {
					if strings.Contains(text, value) || strings.Contains(text, value[:3]) && where != "field" {
						t.Errorf("%s: the %s shows the value: %s", where, shown, text)
					}
				}
				if v := secrets.From(ref); !v.Literal() || !v.Ref().IsZero() {
					t.Errorf("%s: From keeps what was pasted", where)
				}
				if _, err := ref.MarshalJSON(); !errors.Is(err, secrets.ErrInvalid) {
					t.Errorf("%s: MarshalJSON: %v, want ErrInvalid", where, err)
				}
			}
			if _, err := secrets.ParseRef("vault:" + value); err == nil || strings.Contains(err.Error(), value) {
				t.Errorf("ParseRef: %v", err)
			}
		})
	}
}

// Most random text is refused, whatever alphabet it is in.
func TestRandomTextIsRefused(t *testing.T) {
	t.Parallel()
	const rounds = 1000
	digits, small := "0123456789", "abcdefghijklmnopqrstuvwxyz"
	capitals := strings.ToUpper(small)
	r := rand.New(rand.NewPCG(1, 2))
	for _, tc := range []struct {
		name, alphabet string
		length         int
		want           int // of rounds
	}{
		{"hex", digits + small[:6], 20, 950},
		{"hex", digits + small[:6], 32, 990},
		{"base32", capitals + "234567", 32, 800},
		{"base36", digits + small, 24, 900},
		{"base62", digits + small + capitals, 20, 950},
		{"base62", digits + small + capitals, 40, 995},
		{"base64url", digits + small + capitals + "-_", 24, 900},
		{"base64url", digits + small + capitals + "-_", 43, 980},
	} {
		refused := 0
		for range rounds {
			b := make([]byte, tc.length)
			for i := range b {
				b[i] = tc.alphabet[r.IntN(len(tc.alphabet))]
			}
			if (secrets.Ref{Provider: "vault", Name: string(b)}).Validate() != nil {
				refused++
			}
		}
		if refused < tc.want {
			t.Errorf("%s of %d characters: %d of %d refused, want %d", tc.name, tc.length, refused, rounds, tc.want)
		}
	}
}
