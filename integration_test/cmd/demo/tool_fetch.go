package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

var errUsage = errors.New("usage: reports fetch [-verbose] PATH FILE | reports analyse [-rules FILE] ORDERS REFERENCE | reports look URL FILE")

// maxTable bounds what fetch stores.
const maxTable = 1 << 20

// fetch stores a table of the API. As many clients do, it offers the token as a
// password first and as a bearer token when the server asks for that, and with
// a trace it prints the headers that it sends.
func fetch(path, file string, trace io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	status, body, err := get(ctx, path, basic, trace)
	if err == nil && status == http.StatusUnauthorized {
		status, body, err = get(ctx, path, bearer, trace)
	}
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("%s: %d %s: %s", path, status, http.StatusText(status), strings.TrimSpace(string(body)))
	}
	dir, err := os.OpenRoot(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.WriteFile(file, body, 0o600)
}

func basic(r *http.Request, token string)  { r.SetBasicAuth("reports", token) }
func bearer(r *http.Request, token string) { r.Header.Set("Authorization", "Bearer "+token) }

func get(ctx context.Context, path string, authorize func(*http.Request, string), trace io.Writer) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, os.Getenv(envURL)+path, http.NoBody)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: not a valid address", path)
	}
	authorize(req, os.Getenv(envToken))
	fmt.Fprintf(trace, "> GET %s\n> Authorization: %s\n", path, req.Header.Get("Authorization"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	fmt.Fprintf(trace, "< %s\n", resp.Status)
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxTable))
	return resp.StatusCode, body, err
}
