package validation_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/build"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/validation"
)

func TestLooksSecretName(t *testing.T) {
	yes := []string{
		"password", "PASSWORD", "Password", "passwd", "pwd", "MYSQL_PWD", "PGPASSWORD", "db_password", "dbPassword", "db-password",
		"spring.datasource.password", "password2", "old_password", "passphrase", "secret", "client_secret", "clientSecret",
		"CLIENT-SECRET", "webhook_secret", "secret_value", "token", "TOKEN", "github_token", "githubToken", "GITHUB_TOKEN",
		"X-Auth-Token", "_authToken", "access_token", "accessToken", "refreshToken", "id_token", "bearer", "jwt", "api_key", "apiKey",
		"APIKey", "API-KEY", "x-api-key", "apikey", "STRIPE_API_KEY", "access_key", "AWS_SECRET_ACCESS_KEY", "secretAccessKey",
		"secret_key", "private_key", "privateKey", "PRIVATE_KEY_B64", "signing_key", "encryption-key", "ssh_key", "master_key",
		"credential", "credentials", "aws_credentials", "creds", "auth", "_auth", "Authorization", "proxy-authorization", "basicAuth",
		"api_tokens", "bot_token", "token_prod", "passcode", "account_key", "sharedAccessKey",
	}
	no := []string{
		"", "-", "name", "key", "keys", "id", "user", "author", "authority", "authored_by", "authors", "tokenizer", "tokenize", "tokens",
		"max_tokens", "maxTokens", "token_count", "tokenCount", "total_tokens", "input_tokens", "prompt_tokens", "token_type", "token_url",
		"token_limit", "tokenBudget", "next_page_token", "nextPageToken", "page_token", "continuation_token", "sync_token", "task_token",
		"csrf_token", "idempotency_token", "start_token", "secret_name", "secretName", "secret_ref", "secretRef", "secret_arn",
		"secret_path", "secrets_dir", "password_hash", "passwordHash", "password_file", "password_policy", "password_length",
		"has_password", "reset_password", "forgotPassword", "api_key_id", "access_key_id", "apiKeyName", "public_key", "publicKey",
		"primary_key", "partition_key", "sort_key", "foreign_key", "cache_key", "object_key", "key_size", "keyboard", "monkey",
		"passed", "passthrough", "pass_count", "compass", "bypass", "encompass", "accredited", "secretary", "Secretariat", "auth_url",
		"auth_mode", "auth_type", "authEnabled", "credential_type", "credentials_path", "private", "access", "session_id", "hash",
	}
	for _, want := range []struct {
		names []string
		value bool
	}{{yes, true}, {no, false}} {
		for _, name := range want.names {
			if got := validation.LooksSecretName(name); got != want.value {
				t.Errorf("LooksSecretName(%q) = %v, want %v", name, got, want.value)
			}
		}
	}
}

// TestDetectsSeveral checks order and bounds in a text with several credentials.
func TestDetectsSeveral(t *testing.T) {
	github := expand("ghp_{base62:36}", 1)
	jwt := expand(`{base64json:{"alg":"HS256"}}.{base64json:{"sub":"x"}}.{base64url:42}x`, 2)
	text := "url=https://u:" + github + "@h/ auth: Bearer " + jwt + "\n" + `password="` + github + `"`
	want := []validation.Finding{
		{Kind: "GitHub token", Start: strings.Index(text, github), End: strings.Index(text, github) + len(github)},
		{Kind: "JSON web token", Start: strings.Index(text, jwt), End: strings.Index(text, jwt) + len(jwt)},
		{Kind: "GitHub token", Start: strings.LastIndex(text, github), End: len(text) - 1},
	}
	if diff := cmp.Diff(want, validation.DetectCredentials(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDetectNamed checks what the name adds, and that the white space around a value is not part of it.
func TestDetectNamed(t *testing.T) {
	random := expand("{base62:24}", 3)
	tests := []struct {
		name, key, value string
		want             []validation.Finding
		reason           string
	}{
		{"secret name", "token", random, []validation.Finding{{Kind: "random secret", Start: 0, End: 24}}, "the name decides"},
		{"other name", "version", random, nil, "random text is common"},
		{"no name", "", random, nil, "as above"},
		{"spaces", "token", " " + random + "\n", []validation.Finding{{Kind: "random secret", Start: 1, End: 25}}, "the bounds are those of the value"},
		{"short", "token", random[:9], nil, "nothing can be said of it"},
		{"sentence", "password", "must be 12 characters or more", nil, "a description"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, validation.DetectNamed(tt.key, tt.value)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestCredentialKinds holds the words of the kinds: policies and messages refer to them, so they may be
// added to, not changed. Each must occur in the corpus of what is found.
func TestCredentialKinds(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "credentials", "kinds.txt"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := validation.CredentialKinds()
	if diff := cmp.Diff(strings.Split(strings.TrimSpace(string(data)), "\n"), kinds); diff != "" {
		t.Errorf("kinds.txt (-want +got):\n%s", diff)
	}
	var shown []string
	for _, line := range readCorpus(t, "true.txt", 3) {
		shown = append(shown, line.kind)
	}
	for _, kind := range kinds {
		if !slices.Contains(shown, kind) {
			t.Errorf("%q has no line in true.txt", kind)
		}
	}
}

// TestSparesSource wants nothing to be found in the sources of the standard library. Those left out hold
// real test keys and passwords.
func TestSparesSource(t *testing.T) {
	root := filepath.Join(build.Default.GOROOT, "src")
	except := []string{"cmd", "crypto", "vendor", "net/http/client_test.go", "net/url/url_test.go"}
	files, size := spares(t, root, func(path string) bool { return slices.Contains(except, path) })
	if files < 3000 {
		t.Errorf("%d files under %s, is this a source tree?", files, root)
	}
	t.Logf("%d files, %d MB", files, size>>20)
}

// TestSparesRepository wants nothing to be found in the texts of this repository. Tests and their data, the
// demo and the README, which shows what the demo leaves in history, hold made-up credentials on purpose.
func TestSparesRepository(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files, size := spares(t, root, func(path string) bool {
		base := filepath.Base(path)
		return path == "README.md" || base == ".git" || base == "testdata" || strings.HasSuffix(base, "_test.go") || base == "cmd" && filepath.Dir(path) == "integration_test"
	})
	t.Logf("%d files, %d KB", files, size>>10)
}

// spares reads the files below root, except those that skip names, and fails for each finding.
func spares(t *testing.T, root string, skip func(path string) bool) (files, size int) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if skip(filepath.ToSlash(rel)) {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files, size = files+1, size+len(data)
		for _, f := range validation.DetectCredentials(string(data)) {
			t.Errorf("%s:%d: %s", rel, 1+strings.Count(string(data[:f.Start]), "\n"), f.Kind)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, size
}

// TestSparesGenerated wants nothing to be found in ordinary data, which is full of random text that is no
// secret.
func TestSparesGenerated(t *testing.T) {
	for kind, text := range ordinaryTexts(1 << 20) {
		if found := validation.DetectCredentials(text); found != nil {
			f := found[0]
			t.Errorf("%s: %d findings, the first is a %s: %q", kind, len(found), f.Kind, text[max(0, f.Start-40):f.End])
		}
	}
}

// ordinaryTexts are texts of about size bytes of the kinds that workflows carry.
func ordinaryTexts(size int) map[string]string {
	rnd := rand.New(rand.NewPCG(5, 6))
	grow := func(line func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(line(i))
		}
		return b.String()
	}
	random := func(alphabet string, n int) string { return pick(rnd, corpusAlphabets[alphabet], n) }
	logs := grow(func(i int) string {
		line, err := json.Marshal(map[string]any{
			"level": "info", "ts": 1.7e9 + float64(i)/7, "msg": "activity completed", "attempt": i % 5,
			"run_id": expand("{uuid}", uint64(i)), "workflow_id": fmt.Sprintf("report-2026-%02d-%d", i%53, i),
			"task_token": random("base64", 64), "next_page_token": random("base64url", 40),
			"trace_id": random("hex", 32), "span_id": random("hex", 16), "etag": `W/"` + random("hex", 32) + `"`,
			"image": "registry.example/app@sha256:" + random("hex", 64), "usage": map[string]int{"prompt_tokens": i, "max_tokens": 4096},
			"url": "https://host.example:8443/v1/items/" + random("base62", 22) + "?cursor=" + random("base64url", 30), "secret_name": "orders-" + random("base62", 12),
		})
		if err != nil {
			panic(err)
		}
		return string(line) + "\n"
	})
	return map[string]string{
		"logs": logs,
		"nested logs": grow(func(int) string {
			at := rnd.IntN(len(logs) / 2)
			cut, _, _ := strings.Cut(logs[at+strings.IndexByte(logs[at:], '\n')+1:], "\n")
			line, err := json.Marshal(map[string]string{"line": cut})
			if err != nil {
				panic(err)
			}
			return string(line)
		}),
		"base64": grow(func(int) string { return base64.StdEncoding.EncodeToString([]byte(random("base64url", 3000))) }),
		"random base64": grow(func(int) string {
			return random("base64", 76) + "\n"
		}),
		"lock file": grow(func(i int) string {
			return fmt.Sprintf("\"node_modules/pkg-%d\": {\"version\": \"1.%d.0\", \"resolved\": \"https://registry.example/pkg-%d.tgz\", \"integrity\": \"sha512-%s==\"},\n", i, i, i, random("base64", 86))
		}),
		"sums": grow(func(i int) string {
			return fmt.Sprintf("example.com/mod-%d v1.%d.0 h1:%s=\n", i, i, random("base64", 43))
		}),
		"commits": grow(func(i int) string {
			return fmt.Sprintf("commit %s\nAuthor: A U Thor <a%d@example.com>\n\n    Merge pull request #%d from acme/%s\n", random("hex", 40), i, i, random("base36", 8))
		}),
		"identifiers": grow(func(i int) string {
			return fmt.Sprintf("arn:aws:iam::%s:role/r-%s i-0%s cus_%s req_%s %s\n", random("digits", 12), random("base62", 12), random("hex", 16), random("base62", 14), random("base62", 24), expand("{uuid}", uint64(i)))
		}),
	}
}

// hostileTexts are made of beginnings of credentials, of which each could be part of those before it.
func hostileTexts(size int) map[string]string {
	texts := make(map[string]string)
	for _, part := range []string{
		"eyJ", "eyJ-", "eyJ.", "ghp_", "sk-ant-", "glpat-", "ya29.", "glsoat-", "ops_eyJ", "fm2_", "hvs.", "sk-ant-aB3dE5fG7hJ9kLmNexample", "xoxb-1-", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nAbC0", "pass", "pass.",
		"pass=", "pass:", "pass=/", "--token ", "password=a1B2c3D4e5F6g7H8", "key=key2=", "a://", "a://b:c", "a://b:c@", "Bearer ", "Basic YTpi",
		":AA", "1:AA", "12345678:AAa1", ".atlasv1.", "aaaaaaaaaaaaaa.atlasv1.", "hooks.slack.com/services/T", "discord.com/api/webhooks/1", "\\", "\"pass\\",
		"AccountKey=", "secret_", "MTIzNDU2Nzg5MDEyMzQ1Njc4.", "00000000-0000-0000-0000-", "token=00000000-0000-0000-0000-000000000000",
	} {
		texts[part] = strings.Repeat(part, size/len(part))
	}
	return texts
}

// TestDetectHostile checks that no text takes time out of proportion to its size: detection runs in
// workflow code, which has a second in all.
func TestDetectHostile(t *testing.T) {
	for part, text := range hostileTexts(1 << 18) {
		start := time.Now()
		validation.DetectNamed("password", text)
		validation.LooksSecretName(text)
		// Far more than it takes on a busy machine with the race detector, and less than the square takes.
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q repeated: %v for 256 KB", part, took)
		}
	}
}

func BenchmarkDetectHostile(b *testing.B) {
	texts := hostileTexts(1 << 20)
	for _, part := range slices.Sorted(maps.Keys(texts)) {
		b.Run(fmt.Sprintf("%q", part), func(b *testing.B) {
			b.SetBytes(int64(len(texts[part])))
			for b.Loop() {
				validation.DetectNamed("password", texts[part])
			}
		})
	}
}

// TestDetectAllocations pins that ordinary text costs no allocation.
func TestDetectAllocations(t *testing.T) {
	for kind, text := range ordinaryTexts(1 << 14) {
		allocs := testing.AllocsPerRun(20, func() {
			if validation.DetectCredentials(text) != nil || validation.DetectNamed("next_page_token", text) != nil {
				t.Errorf("%s: a finding", kind)
			}
		})
		if allocs > 0 {
			t.Errorf("%s: %v allocations", kind, allocs)
		}
	}
	if allocs := testing.AllocsPerRun(20, func() { validation.LooksSecretName("spring.datasource.adminPassword") }); allocs > 0 {
		t.Errorf("LooksSecretName: %v allocations", allocs)
	}
}

func BenchmarkDetectCredentials(b *testing.B) {
	source, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", "net", "http", "server.go"))
	if err != nil {
		b.Fatal(err)
	}
	texts := ordinaryTexts(1 << 20)
	texts["source"] = strings.Repeat(string(source), 1<<20/len(source)+1)
	for _, kind := range slices.Sorted(maps.Keys(texts)) {
		b.Run(kind, func(b *testing.B) {
			b.SetBytes(int64(len(texts[kind])))
			b.ReportAllocs()
			for b.Loop() {
				if validation.DetectCredentials(texts[kind]) != nil {
					b.Fatal("a finding")
				}
			}
		})
	}
}

func BenchmarkDetectNamed(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if validation.DetectNamed("reportWeek", "2026-W10, orders and refunds") != nil {
			b.Fatal("a finding")
		}
	}
}
