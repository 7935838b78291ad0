package main

import (
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// A corpus is clean data of one kind.
type corpus struct {
	name string
	data []byte
}

// corpora returns size bytes of each kind.
func corpora(size int) []corpus {
	random := rand.New(rand.NewPCG(19, 23)) //nolint:gosec // a fixed seed is the point
	binary := make([]byte, size)
	for i := range binary {
		binary[i] = byte(random.Uint32()) //nolint:gosec // the low byte is meant
	}
	return []corpus{
		{"text", []byte(text(random, size))},
		{"JSON", rows(random, size)},
		{"binary", binary},
		{"base64", []byte(base64.StdEncoding.EncodeToString(binary))[:size]},
	}
}

// rows are lines of JSON as logs and tables have them.
func rows(random *rand.Rand, size int) []byte {
	var out []byte
	for len(out) < size {
		row, err := json.Marshal(map[string]any{
			"id": random.IntN(1e6), "status": "completed", "region": "us-east-1", "note": text(random, 40),
			"run": fmt.Sprintf("%08x-%04x-4%03x", random.Uint32(), random.IntN(1<<16), random.IntN(1<<12)), "cost": random.Float64(),
		})
		if err != nil {
			panic(err) // no value of these can fail
		}
		out = append(append(out, row...), '\n')
	}
	return out[:size]
}

//go:embed *.go
var programs embed.FS

// source is text of programs: that of this one, over and over.
func source(size int) ([]byte, error) {
	files, err := programs.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var out []byte
	for {
		for _, f := range files {
			text, err := programs.ReadFile(f.Name())
			if err != nil {
				return nil, err
			}
			if out = append(out, text...); len(out) >= size {
				return out[:size], nil
			}
		}
	}
}
