package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// A sight is what a command sees from where it runs.
type sight struct {
	API       bool `json:"api"`       // whether the address answers
	File      bool `json:"file"`      // whether the file can be read
	Processes int  `json:"processes"` // its own and others, 0 where there is no /proc
}

// look tries to reach an address and a file, which are there, and counts the processes.
func look(out io.Writer, url, file string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	var seen sight
	if resp, err := http.DefaultClient.Do(req); err == nil {
		seen.API = true
		_ = resp.Body.Close()
	}
	_, err = os.ReadFile(file)
	seen.File = err == nil
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return err
	}
	seen.Processes = len(processes)
	return json.NewEncoder(out).Encode(seen)
}
