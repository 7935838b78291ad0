package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// TestParts registers documents and looks for what is in them: credentials are found on their own, the rest
// is not.
func TestParts(t *testing.T) {
	password, key, token := randomText(12, 20), randomText(64, 21)+"\n"+randomText(64, 22), randomText(40, 23)
	pem := func(kind string) string {
		return "-----BEGIN " + kind + "-----\n" + key + "\n-----END " + kind + "-----\n"
	}
	basic := base64.StdEncoding.EncodeToString([]byte("deploy:" + password + ".!")) // without padding
	encode := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	quote := func(s string) string {
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	tests := []struct {
		name, value    string
		secret, public []string
	}{
		{"JSON by key", `{"password":"` + password + `","region":"us-east-1","ok":"true","n":12345678}`, []string{password}, []string{"us-east-1", "true", "12345678", "password"}},
		{"JSON by entropy", `["eu-west-2",{"x":"` + token + `"}]`, []string{token}, []string{"eu-west-2"}},
		{
			"service account", `{"type": "service_account", "project_id": "my-project-123456", "private_key_id": "` + randomText(40, 24) + `", "private_key": ` + quote(pem("PRIVATE KEY")) +
				`, "client_email": "svc@my-project-123456.iam.gserviceaccount.com", "client_id": "104857600000000000000", "token_uri": "https://oauth2.googleapis.com/token"}`,
			[]string{randomText(64, 21), randomText(64, 22), strings.ReplaceAll(key, "\n", " "), randomText(40, 24)},
			[]string{"service_account", `"type": "service_account"`, "my-project-123456", "svc@my-project-123456.iam.gserviceaccount.com", "104857600000000000000", "https://oauth2.googleapis.com/token", "-----BEGIN PRIVATE KEY-----"},
		},
		{"PEM", pem("RSA PRIVATE KEY"), []string{randomText(64, 21), randomText(64, 22)[10:40]}, []string{"-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"}},
		{"docker configuration", `{"auths":{"registry.example.com":{"auth":"` + basic + `"}}}`, []string{password + ".!", basic}, []string{"registry.example.com", "auths", "deploy"}},
		{"docker configuration in base64", encode(`{"auths":{"registry.example.com":{"auth":"` + basic + `"}}}`), []string{password + ".!", basic}, []string{"registry.example.com"}},
		{"URL", "postgres://app:" + password + "@db.example.com:5432/orders?sslmode=require", []string{password}, []string{"@db.example.com:5432/orders?sslmode=require", "sslmode=require", "db.example.com"}},
		{"URL with an escaped password", "https://app:p%40ss" + password + "@example.com/", []string{"p@ss" + password}, []string{"example.com"}},
		{"URL with a token in the query", "https://example.com/hook?channel=general-chat&token=" + token, []string{token}, []string{"https://example.com/hook", "general-chat"}},
		{"URL with a token as the user", "https://" + token + "@git.example.com/org/repo.git", []string{token}, []string{"git.example.com/org/repo.git"}},
		{"user and password", "deploy:" + password + ".!", []string{password + ".!", basic}, []string{"deploy"}},
		{"dotenv", "# settings\nexport DB_PASSWORD='" + password + "'\nREGION=eu-central-1\nAPI_TOKEN=" + token + "\n", []string{password, token}, []string{"eu-central-1", "DB_PASSWORD", "API_TOKEN="}},
		{"INI", "[default]\naws_secret_access_key = " + token + "\nregion = ap-southeast-2\n", []string{token}, []string{"ap-southeast-2", "aws_secret_access_key"}},
		{
			"kubeconfig", "apiVersion: v1\nkind: Config\nclusters:\n- cluster:\n    certificate-authority-data: " + encode(strings.ReplaceAll(pem("CERTIFICATE"), key, randomText(64, 25))) +
				"\n    server: https://kube.example.com:6443\n  name: production\nusers:\n- name: admin-user\n  user:\n    client-key-data: " + encode(pem("EC PRIVATE KEY")) + "\n    token: " + token + "\n",
			[]string{token, randomText(64, 21), encode(pem("EC PRIVATE KEY"))},
			[]string{randomText(64, 25), "https://kube.example.com:6443", "production", "admin-user", "certificate-authority-data"},
		},
		{"libpq", "host=db.example.com port=5432 user=deploy password='" + password + "' dbname=orders", []string{password}, []string{"db.example.com", "user=deploy"}},
		{"SQL Server", "Server=tcp:db.example.com,1433;User ID=deploy;Password=" + password + ";Encrypt=True", []string{password}, []string{"db.example.com", "User ID=deploy"}},
		{
			"Azure storage", "DefaultEndpointsProtocol=https;AccountName=reportstore;AccountKey=" + encode(token+token) + ";EndpointSuffix=core.windows.net",
			[]string{encode(token + token)},
			[]string{"reportstore", "core.windows.net", "DefaultEndpointsProtocol"},
		},
		{"MySQL", "deploy:" + password + "@tcp(db.example.com:3306)/orders?parseTime=true", []string{password}, []string{"db.example.com:3306", "parseTime=true"}},
		{"libpq, quoted", "host=h user=u password='" + password + " & three' dbname=orders", []string{password + " & three"}, []string{"dbname"}},
		{"ODBC", "Driver={SQL Server};Server=db.example.com;Uid=deploy;Pwd={" + password + ";}", []string{password + ";"}, []string{"SQL Server", "db.example.com"}},
		{"Redis", "redis.example.com:6380,password=" + password + ",ssl=True,abortConnect=False", []string{password}, []string{"redis.example.com:6380", "abortConnect"}},
		{"JDBC", "jdbc:sqlserver://db.example.com:1433;databaseName=app;user=sa;password=" + password + ";encrypt=true", []string{password}, []string{"db.example.com:1433", "databaseName"}},
		{"Service Bus", "Endpoint=sb://ns.example.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=" + token, []string{token}, []string{"ns.example.net", "RootManageSharedAccessKey"}},
		{"settings with a URL", "URL=https://example.com/path;TOKEN=" + password, []string{password}, []string{"https://example.com/path"}},
		{"bot", "https://api.example.org/bot110201543:" + randomText(35, 29) + "/sendMessage", []string{"bot110201543:" + randomText(35, 29)}, []string{"api.example.org", "sendMessage"}},
		{"dotenv with a comment", "REGION=eu-central-1 # where it runs\nDB_PASSWORD=" + password + " # of production\n", []string{password}, []string{"eu-central-1", "of production"}},
		{"reserved password", "https://" + token + ":x-oauth-basic@git.example.com/org/repo.git", []string{token}, []string{"x-oauth-basic", "git.example.com"}},
		{"vague keys", `{"auth":"kubernetes","authorization":"service-account","credential":"` + password + `","signature":"rsa.sha"}`, []string{password}, []string{"kubernetes", "service-account", "rsa.sha"}},
		{"web token", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." + randomText(60, 26) + "." + randomText(43, 27), []string{randomText(60, 26), randomText(43, 27)}, []string{"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := newSet(t, "doc", tt.value)
			if got, hits := set.String("<" + tt.value + ">"); got != "<[redacted:doc]>" && got != "<[redacted:doc]\n>" || hits != 1 {
				t.Errorf("all of it became %q, %d", got, hits)
			}
			for _, part := range tt.secret {
				if got, _ := set.String("<" + part + ">"); got != "<[redacted:doc]>" {
					t.Errorf("%q became %q, want a marker", part, got)
				}
			}
			for _, part := range tt.public {
				if got, _ := set.String("<" + part + ">"); got != "<"+part+">" {
					t.Errorf("%q became %q, but it is public", part, got)
				}
			}
			set.Remove("doc", tt.value)
			for _, part := range tt.secret {
				if set.ContainsString(part) {
					t.Errorf("%q is found after Remove", part)
				}
			}
		})
	}
}

// publicLeaves are what stands in many documents and is no secret.
var publicLeaves = []string{
	"us-east-1", "service_account", "true", "application/json", "arn:aws:iam::123456789012:role/deploy", "2026-01-02T03:04:05Z",
	"https://www.googleapis.com/oauth2/v1/certs", "projects/my-project/locations/europe-west1/clusters/main-cluster-1",
	"registry.example.com/team/image-name:v1.22.333", "0f8fad5b-d9cb-469f-a165-70867728950e", "svc@project-123.iam.gserviceaccount.com",
	"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "-----BEGIN CERTIFICATE-----", "10.0.0.0/16", "kubernetes.io/service-account-token",
	"eu-central-1", "us-central1-a", "production", "authorized_user", "external_account", "x-amz-date", "text/html; charset=utf-8",
	"https://oauth2.googleapis.com/token", "https://accounts.google.com/o/oauth2/auth", "https://sts.amazonaws.com", "googleapis.com",
	"core.windows.net", "AzureCloud", "DefaultEndpointsProtocol", "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	"https://index.docker.io/v1/", "ghcr.io/example/app:latest", "client.authentication.k8s.io/v1beta1", "v1.29.3-gke.1282001",
	"/var/run/secrets/kubernetes.io/serviceaccount", "postgres", "sslmode=require", "db.example.com:5432", "00000000-0000-0000-0000-000000000000",
	"urn:ietf:params:oauth:token-type:access_token", "RSASSA_PKCS1_V1_5_SHA_256", "HS256", "application/vnd.docker.distribution.manifest.v2+json",
	"0123456789", "127.0.0.1:7233", "fe80::1ff:fe23:4567:890a", "refs/heads/main", "2.16.840.1.101.3.4.2.1",
	"-----END PUBLIC KEY-----", "Content-Type", "en_US.UTF-8", "no-reply@example.com", "+1-555-0100", "#00ff00", "1970-01-01", "P1DT12H",
}

// TestPublicLeaves registers 100 documents that hold public leaves beside a credential, and shows the leaves.
func TestPublicLeaves(t *testing.T) {
	set := redact.NewSet()
	for i := range 100 {
		doc := map[string]string{"password": randomText(20+i%40, uint64(i))}
		for k, leaf := range publicLeaves {
			doc[fmt.Sprint("key", k)] = leaf
		}
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Add(fmt.Sprint("doc", i), string(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, leaf := range publicLeaves {
		text, err := json.Marshal(map[string]any{"key": leaf, "list": []string{leaf}})
		if err != nil {
			t.Fatal(err)
		}
		if got, hits := set.JSON(text); hits != 0 || !bytes.Equal(got, text) {
			t.Errorf("%s became %s", text, got)
		}
	}
}

// TestPrecisionOnSource shows 4 MB of Go's own sources, of JSON logs, and of other kinds of text to 100
// values: none of them is mistaken for one.
func TestPrecisionOnSource(t *testing.T) {
	const size = 4 << 20
	set := newSet(t)
	for i := range 100 {
		for _, n := range []int{8, 20 + i%40} {
			if err := set.Add(fmt.Sprint("s", i), randomText(n, uint64(1000+i))); err != nil {
				t.Fatal(err)
			}
		}
	}
	var source []byte
	err := filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		if len(source) >= size {
			return fs.SkipAll
		}
		text, err := os.ReadFile(path)
		source = append(source, text...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{"source": source, "JSON": corpora(size)["JSON"]}
	for name, text := range texts {
		if len(text) < size {
			t.Fatalf("%s: only %d bytes", name, len(text))
		}
		if got, hits := set.Bytes(text); hits != 0 || !bytes.Equal(got, text) {
			t.Errorf("%s: %d hits", name, hits)
		}
	}
}
