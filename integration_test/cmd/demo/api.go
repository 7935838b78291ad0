package main

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

//go:embed data/reference.csv
var referenceTable []byte

// api is the service that the job and the release workflow talk to. It knows one
// valid token for each, and a new one revokes the old.
type api struct {
	url    string
	server *http.Server

	mu               sync.Mutex
	reports, release string
	announced        int
}

// startAPI serves on a free port of the loopback interface until stop.
func startAPI(ctx context.Context) (*api, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start the API: %w", err)
	}
	a := &api{url: "http://" + listener.Addr().String()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/tables/reference", a.moved)
	mux.HandleFunc("GET /v2/tables/reference", a.table)
	mux.HandleFunc("POST /v1/tags/{version}", a.accept)
	mux.HandleFunc("POST /v1/announcements/{version}", a.accept)
	a.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = a.server.Serve(listener) }() // ends with stop
	return a, nil
}

func (a *api) stop() { _ = a.server.Close() }

// issueReports makes the only valid token of the reports API.
func (a *api) issueReports() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reports = newReportsToken()
	return a.reports
}

// issueRelease makes the only valid token of the release service.
func (a *api) issueRelease() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.release = newReleaseToken()
	return a.release
}

// announcements counts the announcements that were accepted.
func (a *api) announcements() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.announced
}

// moved answers at the table's old address, with the usual exchange about how to
// show who one is before that.
func (a *api) moved(w http.ResponseWriter, r *http.Request) {
	if a.bearer(w, r) {
		http.Error(w, "use /v2/tables/reference", http.StatusGone)
	}
}

func (a *api) table(w http.ResponseWriter, r *http.Request) {
	if a.bearer(w, r) {
		w.Header().Set("Content-Type", "text/csv")
		_, _ = w.Write(referenceTable) // the client sees a short table
	}
}

// bearer answers requests without the valid token.
func (a *api) bearer(w http.ResponseWriter, r *http.Request) bool {
	a.mu.Lock()
	want := "Bearer " + a.reports
	a.mu.Unlock()
	if r.Header.Get("Authorization") == want {
		return true
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
	return false
}

// releaseHeader is where the release service expects its token.
const releaseHeader = "X-Release-Token"

// accept takes a tag or an announcement.
func (a *api) accept(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Header.Get(releaseHeader) != a.release {
		http.Error(w, "the token was revoked", http.StatusUnauthorized)
		return
	}
	if r.URL.Path == announcement(r.PathValue("version")) {
		a.announced++
	}
	w.WriteHeader(http.StatusCreated)
}

func tag(version string) string          { return "/v1/tags/" + version }
func announcement(version string) string { return "/v1/announcements/" + version }
