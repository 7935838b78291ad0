package redact_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// benchSet holds n values of 20 to 48 bytes.
func benchSet(tb testing.TB, n int) *redact.Set {
	tb.Helper()
	set := redact.NewSet()
	for i := range n {
		if err := set.Add(fmt.Sprint("s", i), randomText(20+i%29, uint64(i))); err != nil {
			tb.Fatal(err)
		}
	}
	return set
}

func BenchmarkClean(b *testing.B) {
	texts := corpora(2 << 20)
	for _, n := range []int{1, 10, 100, 1000} {
		set := benchSet(b, n)
		for _, kind := range []string{"text", "JSON", "JSON in JSON", "binary", "base64", "wrapped base64"} {
			b.Run(fmt.Sprintf("values=%d/%s", n, kind), func(b *testing.B) {
				text := texts[kind]
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, hits := set.Bytes(text); hits != 0 {
						b.Fatal("a hit in clean text")
					}
				}
			})
		}
	}
}

// BenchmarkSeal is the yardstick for BenchmarkClean: what it costs to encrypt the same amount.
func BenchmarkSeal(b *testing.B) {
	block, err := aes.NewCipher(make([]byte, 32))
	if err != nil {
		b.Fatal(err)
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		b.Fatal(err)
	}
	text, nonce := make([]byte, 2<<20), make([]byte, gcm.NonceSize())
	out := make([]byte, 0, len(text)+gcm.Overhead())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		gcm.Seal(out, nonce, text, nil)
	}
}

// BenchmarkShortestValue shows what a single value of eight bytes costs.
func BenchmarkShortestValue(b *testing.B) {
	set := benchSet(b, 100)
	if err := set.Add("eight", "aB3xY9_k"); err != nil {
		b.Fatal(err)
	}
	text := corpora(1 << 20)["JSON"]
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if set.Contains(text) {
			b.Fatal("a hit in clean text")
		}
	}
}

func BenchmarkLogLine(b *testing.B) {
	set := benchSet(b, 100)
	line := `activity completed: StartJob attempt 1 on queue "agents" after 1.204s`
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, hits := set.String(line); hits != 0 {
			b.Fatal("a hit in clean text")
		}
	}
}

func BenchmarkHits(b *testing.B) {
	set := benchSet(b, 100)
	for _, n := range []int{1, 1000} {
		text := corpora(1 << 20)["JSON"]
		for i := range n {
			copy(text[i*len(text)/n:], `{"k":"`+randomText(20, 0)+`"}`)
		}
		b.Run(fmt.Sprint("hits=", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, hits := set.Bytes(text); hits != n {
					b.Fatalf("%d hits", hits)
				}
			}
		})
	}
}

// BenchmarkHostile is text made of a prefix that all values share. All of it is a hit, as it is a part of
// each of them; so what is measured is how long it takes to tell which value names the marker, which is to take as long
// for many of them as for a few.
func BenchmarkHostile(b *testing.B) {
	prefix := randomText(47, 1)
	text := []byte(strings.Repeat(prefix, 1<<16/len(prefix)))
	for _, n := range []int{1, 10, 100, 1000} {
		set := redact.NewSet()
		for i := range n {
			if err := set.Add("v", prefix+randomText(16, uint64(100+i))); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprint("values=", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, hits := set.Bytes(text); hits == 0 {
					b.Fatal("no hit")
				}
			}
		})
	}
}

// BenchmarkAdd registers values of 20 to 48 bytes beside a thousand others.
func BenchmarkAdd(b *testing.B) {
	var values []string
	for i := range 1000 {
		values = append(values, randomText(20+i%29, uint64(5000+i)))
	}
	b.ReportAllocs()
	for i := 0; i < b.N; {
		b.StopTimer()
		set := benchSet(b, 1000)
		b.StartTimer()
		for _, value := range values[:min(len(values), b.N-i)] {
			if err := set.Add("one more", value); err != nil {
				b.Fatal(err)
			}
			i++
		}
	}
}

func BenchmarkAddRemove(b *testing.B) {
	for _, n := range []int{0, 100, 1000} {
		set := benchSet(b, n)
		b.Run(fmt.Sprint("values=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := set.Add("one more", "a value that is not there yet"); err != nil {
					b.Fatal(err)
				}
				set.Remove("one more", "a value that is not there yet")
			}
		})
	}
}

// TestStackAllocations checks that what is searched does not escape: a caller's buffer stays on its stack.
func TestStackAllocations(t *testing.T) {
	set := benchSet(t, 10)
	n := 1 << 60
	allocs := testing.AllocsPerRun(50, func() {
		var buf [64]byte
		if set.Contains(append(strconv.AppendInt(buf[:0], int64(n), 10), `100% of 'it'`...)) {
			t.Error("a hit in clean text")
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

// TestAllocations pins what the benchmarks show: text without a value costs no allocation, decoded or not.
func TestAllocations(t *testing.T) {
	set := benchSet(t, 100)
	if err := set.AddShort("short", "1234"); err != nil {
		t.Fatal(err)
	}
	for kind, text := range corpora(1 << 14) {
		str := string(text)
		allocs := testing.AllocsPerRun(50, func() {
			set.Bytes(text)
			set.JSON(text)
			set.String(str)
			if set.ContainsString(str) || set.Names(str) != nil {
				t.Errorf("%s: a hit in clean text", kind)
			}
		})
		if decoded := bytes.ContainsAny(text, "\\\n"); decoded && raceDetector {
			continue // working memory comes from a pool
		}
		if allocs >= 1 {
			t.Errorf("%s: %v allocations", kind, allocs)
		}
	}
}

// BenchmarkAddAlike registers web tokens of one issuer for one audience: their first 300 bytes are the same.
func BenchmarkAddAlike(b *testing.B) {
	for _, n := range []int{1000, 4000} {
		tokens := tokensAlike(n)
		b.Run(fmt.Sprint("values=", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				set := redact.NewSet()
				for _, token := range tokens {
					if err := set.Add("token", token); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/value")
		})
	}
}

// tokensAlike are n web tokens of 800 bytes, of which the first 300 are the same.
func tokensAlike(n int) []string {
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","kid":"2026-01","typ":"JWT"}`)) + "."
	alike := header + randomText(300-len(header), 1)
	tokens := make([]string, n)
	for i := range tokens {
		tokens[i] = alike + randomText(157, uint64(2*i+2)) + "." + randomText(342, uint64(2*i+3))
	}
	return tokens
}
