package validation

// tokenRule describes credentials that begin with a fixed text.
type tokenRule struct {
	kind   string
	prefix string
	body   alphabet // of what follows
	// min and max bound the length of what follows; a longer run over the alphabet is something else.
	min, max int
	// tail, if set, must follow the body.
	tail string
	// mixed demands digits and letters: the prefix alone is not distinctive enough.
	mixed bool
	// sure takes whatever follows, even what does not look made by a generator: prefix
	// and length together are distinctive.
	sure bool
}

// unlimited is the length of tokens that have no fixed one.
const unlimited = 2048

// tokenRules are the credentials of known services. The shapes are those that the services document or
// hand out; ids that are no secret by themselves are listed where they only occur beside one.
var tokenRules = []tokenRule{
	{kind: "1Password token", prefix: "ops_eyJ", body: newAlphabet(digits, lowers, uppers, "+/=-_"), min: 200, max: unlimited, sure: true},
	{kind: "AWS access key id", prefix: "AKIA", body: alphaBase32, min: 16, max: 16},
	{kind: "AWS access key id", prefix: "ASIA", body: alphaBase32, min: 16, max: 16},
	{kind: "AWS access key id", prefix: "ABIA", body: alphaBase32, min: 16, max: 16},
	{kind: "AWS access key id", prefix: "ACCA", body: alphaBase32, min: 16, max: 16},
	{kind: "Alibaba Cloud access key id", prefix: "LTAI", body: alphaBase62, min: 17, max: 20, mixed: true},
	{kind: "Anthropic key", prefix: "sk-ant-api03-", body: alphaBase64URL, min: 95, max: 95, sure: true},
	{kind: "Anthropic key", prefix: "sk-ant-admin01-", body: alphaBase64URL, min: 95, max: 95, sure: true},
	{kind: "Anthropic key", prefix: "sk-ant-", body: alphaBase64URL, min: 32, max: unlimited},
	{kind: "Atlassian token", prefix: "ATATT3xFfGF0", body: alphaPadded, min: 48, max: unlimited},
	{kind: "Azure service key", prefix: "SharedAccessKey=", body: alphaBase64, min: 43, max: 43, tail: "="},
	{kind: "Azure storage key", prefix: "AccountKey=", body: alphaBase64, min: 86, max: 86, tail: "=="},
	{kind: "Brevo key", prefix: "xkeysib-", body: newAlphabet(digits, lowers, uppers, "-"), min: 64, max: 90},
	{kind: "Buildkite token", prefix: "bkua_", body: alphaHex, min: 40, max: 40},
	{kind: "CircleCI token", prefix: "CCIPAT_", body: alphaWord, min: 40, max: 80},
	{kind: "Databricks token", prefix: "dapi", body: alphaHex, min: 32, max: 32, mixed: true},
	{kind: "DigitalOcean token", prefix: "dop_v1_", body: alphaHex, min: 64, max: 64},
	{kind: "DigitalOcean token", prefix: "doo_v1_", body: alphaHex, min: 64, max: 64},
	{kind: "DigitalOcean token", prefix: "dor_v1_", body: alphaHex, min: 64, max: 64},
	{kind: "Docker token", prefix: "dckr_pat_", body: alphaBase64URL, min: 27, max: 27},
	{kind: "Docker token", prefix: "dckr_oat_", body: alphaBase64URL, min: 32, max: 32},
	{kind: "Doppler token", prefix: "dp.pt.", body: alphaBase62, min: 40, max: 44},
	{kind: "Doppler token", prefix: "dp.st.", body: alphaDotted, min: 40, max: 64},
	{kind: "Figma token", prefix: "figd_", body: alphaBase64URL, min: 40, max: 44},
	{kind: "Fly.io token", prefix: "fo1_", body: alphaBase64URL, min: 43, max: 43},
	{kind: "Fly.io token", prefix: "fm1a_", body: alphaBase64, min: 100, max: unlimited},
	{kind: "Fly.io token", prefix: "fm1r_", body: alphaBase64, min: 100, max: unlimited},
	{kind: "Fly.io token", prefix: "fm2_", body: alphaBase64, min: 100, max: unlimited},
	{kind: "GitHub token", prefix: "ghp_", body: alphaBase62, min: 36, max: 255},
	{kind: "GitHub token", prefix: "gho_", body: alphaBase62, min: 36, max: 255},
	{kind: "GitHub token", prefix: "ghu_", body: alphaBase62, min: 36, max: 255},
	{kind: "GitHub token", prefix: "ghs_", body: alphaBase62, min: 36, max: 255},
	{kind: "GitHub token", prefix: "ghr_", body: alphaBase62, min: 36, max: 255},
	{kind: "GitHub token", prefix: "github_pat_", body: alphaWord, min: 60, max: 255},
	{kind: "GitLab token", prefix: "glpat-", body: alphaDotted, min: 20, max: 300},
	{kind: "GitLab token", prefix: "gldt-", body: alphaBase64URL, min: 20, max: 300},
	{kind: "GitLab token", prefix: "glrt-", body: alphaDotted, min: 20, max: 300},
	{kind: "GitLab token", prefix: "glcbt-", body: alphaBase64URL, min: 20, max: 300},
	{kind: "GitLab token", prefix: "glptt-", body: alphaHex, min: 40, max: 40},
	{kind: "GitLab token", prefix: "glft-", body: alphaBase64URL, min: 20, max: 300},
	{kind: "GitLab token", prefix: "glagent-", body: alphaBase64URL, min: 50, max: 300},
	{kind: "GitLab token", prefix: "glsoat-", body: alphaBase64URL, min: 20, max: 300},
	{kind: "GitLab token", prefix: "glffct-", body: alphaBase64URL, min: 20, max: 300},
	{kind: "GitLab token", prefix: "glimt-", body: alphaBase64URL, min: 25, max: 300},
	{kind: "GitLab token", prefix: "gloas-", body: alphaBase64URL, min: 64, max: 64},
	{kind: "GitLab token", prefix: "GR1348941", body: alphaBase64URL, min: 20, max: 20},
	{kind: "Google API key", prefix: "AIza", body: alphaBase64URL, min: 35, max: 35},
	{kind: "Google OAuth token", prefix: "ya29.", body: alphaDotted, min: 40, max: unlimited},
	{kind: "Google client secret", prefix: "GOCSPX-", body: alphaBase64URL, min: 28, max: 28},
	{kind: "Grafana token", prefix: "glsa_", body: alphaWord, min: 41, max: 41},
	{kind: "Grafana token", prefix: "glc_", body: alphaBase64, min: 32, max: 400, mixed: true},
	{kind: "Grafana token", prefix: "eyJrIjoi", body: alphaBase64, min: 70, max: 400},
	{kind: "Groq key", prefix: "gsk_", body: alphaBase62, min: 52, max: 52},
	{kind: "Heroku key", prefix: "HRKU-AA", body: alphaBase64URL, min: 58, max: 58, sure: true},
	{kind: "Hugging Face token", prefix: "hf_", body: alphaBase62, min: 34, max: 40},
	{kind: "Hugging Face token", prefix: "api_org_", body: alphaBase62, min: 34, max: 34},
	{kind: "Linear key", prefix: "lin_api_", body: alphaBase62, min: 40, max: 40},
	{kind: "NVIDIA key", prefix: "nvapi-", body: alphaBase64URL, min: 60, max: 80},
	{kind: "Netlify token", prefix: "nfp_", body: alphaBase62, min: 36, max: 40, mixed: true},
	{kind: "New Relic key", prefix: "NRAK-", body: alphaBase62, min: 27, max: 27},
	{kind: "Notion token", prefix: "ntn_", body: alphaBase62, min: 46, max: 46},
	{kind: "Notion token", prefix: "secret_", body: alphaBase62, min: 43, max: 43, mixed: true},
	{kind: "OpenAI key", prefix: "sk-proj-", body: alphaBase64URL, min: 40, max: 300},
	{kind: "OpenAI key", prefix: "sk-svcacct-", body: alphaBase64URL, min: 40, max: 300},
	{kind: "OpenAI key", prefix: "sk-admin-", body: alphaBase64URL, min: 40, max: 300},
	{kind: "OpenAI key", prefix: "sk-", body: alphaBase62, min: 32, max: 64, mixed: true},
	{kind: "OpenRouter key", prefix: "sk-or-v1-", body: alphaHex, min: 64, max: 64},
	{kind: "Perplexity key", prefix: "pplx-", body: alphaBase62, min: 48, max: 56},
	{kind: "PlanetScale token", prefix: "pscale_tkn_", body: alphaPadded, min: 32, max: 64, sure: true},
	{kind: "PlanetScale token", prefix: "pscale_oauth_", body: alphaPadded, min: 32, max: 64, sure: true},
	{kind: "PlanetScale password", prefix: "pscale_pw_", body: alphaPadded, min: 32, max: 64, sure: true},
	{kind: "Postman key", prefix: "PMAK-", body: newAlphabet(digits, "abcdef-"), min: 59, max: 59},
	{kind: "Prefect key", prefix: "pnu_", body: alphaBase62, min: 36, max: 36},
	{kind: "Pulumi token", prefix: "pul-", body: alphaHex, min: 40, max: 40},
	{kind: "PyPI token", prefix: "pypi-AgE", body: alphaBase64URL, min: 50, max: unlimited},
	{kind: "Replicate token", prefix: "r8_", body: alphaBase62, min: 37, max: 37},
	{kind: "RubyGems key", prefix: "rubygems_", body: alphaHex, min: 48, max: 48},
	{kind: "SendGrid key", prefix: "SG.", body: alphaDotted, min: 66, max: 66, mixed: true},
	{kind: "Sentry token", prefix: "sntrys_eyJ", body: alphaToken68, min: 60, max: unlimited},
	{kind: "Sentry token", prefix: "sntryu_", body: alphaHex, min: 64, max: 64},
	{kind: "Shippo token", prefix: "shippo_live_", body: alphaHex, min: 40, max: 40},
	{kind: "Shippo token", prefix: "shippo_test_", body: alphaHex, min: 40, max: 40},
	{kind: "Shopify token", prefix: "shpat_", body: alphaHex, min: 32, max: 32},
	{kind: "Shopify token", prefix: "shpca_", body: alphaHex, min: 32, max: 32},
	{kind: "Shopify token", prefix: "shppa_", body: alphaHex, min: 32, max: 32},
	{kind: "Shopify token", prefix: "shpss_", body: alphaHex, min: 32, max: 32},
	{kind: "Slack token", prefix: "xoxb-", body: newAlphabet(digits, lowers, uppers, "-"), min: 24, max: 120},
	{kind: "Slack token", prefix: "xoxp-", body: newAlphabet(digits, lowers, uppers, "-"), min: 24, max: 120},
	{kind: "Slack token", prefix: "xoxa-2-", body: newAlphabet(digits, lowers, uppers, "-"), min: 40, max: 120, sure: true},
	{kind: "Slack token", prefix: "xoxr-2-", body: newAlphabet(digits, lowers, uppers, "-"), min: 40, max: 120, sure: true},
	{kind: "Slack token", prefix: "xoxa-", body: newAlphabet(digits, lowers, uppers, "-"), min: 12, max: 120, sure: true},
	{kind: "Slack token", prefix: "xoxr-", body: newAlphabet(digits, lowers, uppers, "-"), min: 12, max: 120, sure: true},
	{kind: "Slack token", prefix: "xoxs-", body: newAlphabet(digits, lowers, uppers, "-"), min: 24, max: 120},
	{kind: "Slack token", prefix: "xoxe.xox", body: newAlphabet(digits, lowers, uppers, "-"), min: 24, max: 300},
	{kind: "Slack token", prefix: "xoxe-", body: newAlphabet(digits, lowers, uppers, "-"), min: 24, max: 300},
	{kind: "Slack token", prefix: "xapp-", body: newAlphabet(digits, lowers, uppers, "-"), min: 24, max: 120},
	{kind: "Square token", prefix: "sq0atp-", body: alphaBase64URL, min: 22, max: 22},
	{kind: "Square client secret", prefix: "sq0csp-", body: alphaBase64URL, min: 43, max: 43},
	{kind: "Stripe key", prefix: "sk_live_", body: alphaBase62, min: 24, max: 120},
	{kind: "Stripe key", prefix: "rk_live_", body: alphaBase62, min: 24, max: 120},
	{kind: "Stripe key", prefix: "sk_prod_", body: alphaBase62, min: 24, max: 120},
	{kind: "Stripe key", prefix: "rk_prod_", body: alphaBase62, min: 24, max: 120},
	{kind: "Stripe key", prefix: "sk_test_", body: alphaBase62, min: 24, max: 120},
	{kind: "Stripe key", prefix: "rk_test_", body: alphaBase62, min: 24, max: 120},
	{kind: "Stripe webhook secret", prefix: "whsec_", body: alphaBase64, min: 32, max: 64},
	{kind: "Supabase token", prefix: "sbp_", body: alphaHex, min: 40, max: 40},
	{kind: "Tailscale key", prefix: "tskey-", body: newAlphabet(digits, lowers, uppers, "-"), min: 24, max: 100},
	{kind: "Twilio key", prefix: "SK", body: alphaHex, min: 32, max: 32, mixed: true},
	{kind: "Vault token", prefix: "hvs.", body: alphaBase64URL, min: 24, max: 300},
	{kind: "Vault token", prefix: "hvb.", body: alphaBase64URL, min: 24, max: 300},
	{kind: "Vault token", prefix: "hvr.", body: alphaBase64URL, min: 24, max: 300},
	{kind: "age secret key", prefix: "AGE-SECRET-KEY-1", body: alphaBech32, min: 58, max: 58, sure: true},
	{kind: "npm token", prefix: "npm_", body: alphaBase62, min: 36, max: 36},
	{kind: "xAI key", prefix: "xai-", body: alphaBase62, min: 80, max: 80},
}

// match returns where the credential ends whose prefix stands at s[at:], 0 if there is none, and how many
// bytes were read to find out.
func (r *tokenRule) match(s string, at int) (end, read int) {
	if !startsWord(s, at) || len(s)-at < len(r.prefix)+r.min || s[at:at+len(r.prefix)] != r.prefix {
		return 0, 0
	}
	from := at + len(r.prefix)
	n := runUpTo(s, from, r.body, r.max+1)
	read = len(r.prefix) + n
	for n > 0 && (s[from+n-1] == '.' || s[from+n-1] == '-') && (n > r.max || r.min < r.max) {
		n-- // the end of a sentence, or a dash
	}
	end = from + n
	if n < r.min || n > r.max || end < len(s) && alphaWord.has(s[end]) {
		return 0, read
	}
	if len(s)-end < len(r.tail) || s[end:end+len(r.tail)] != r.tail {
		return 0, read
	}
	body := s[from:end]
	if !r.sure && (!isVaried(body) || r.mixed && !isMixed(body) || isPlaceholder(body)) {
		return 0, read
	}
	return end + len(r.tail), read
}
