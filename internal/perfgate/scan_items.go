package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

const corpusSize = 2 << 20

// scanItems search clean data for the values of a set.
func scanItems(r *report) error {
	if !r.wants("P5") && !r.wants("P5b") && !r.wants("P5c") && !r.wants("P5d") {
		return nil
	}
	sets := map[int]*redact.Set{}
	for _, n := range []int{10, 100, 1000} {
		set, err := known(n)
		if err != nil {
			return err
		}
		sets[n] = set
	}
	texts := corpora(corpusSize)
	for _, text := range texts {
		if set := sets[1000]; set.Contains(text.data) || !set.Contains([]byte("x"+values(1000)["env:"+variable(0)])) {
			return fmt.Errorf("%s: what is searched for is not what is found", text.name)
		}
	}
	if r.wants("P5") {
		if err := againstCipher(r, sets, texts); err != nil {
			return err
		}
	}
	json := texts[1].data
	if r.wants("P5b") {
		for _, text := range texts {
			r.measure(pair{id: "P5b", name: text.name + ", 1,000 values/10", bar: 2.5, candidate: search(sets[1000], text.data), yardstick: search(sets[10], text.data)})
		}
	}
	if r.wants("P5c") {
		const small = 16 << 10
		for _, n := range []int{10, 1000} {
			r.measure(pair{
				id: "P5c", name: counted("a byte of 2 MB/16 KB", n, "values"), bar: 3,
				candidate: search(sets[n], json), yardstick: search(sets[n], json[:small]), scale: float64(small) / float64(len(json)),
			})
		}
	}
	if r.wants("P5d") {
		return hostileItems(r, json)
	}
	return nil
}

// hostileItems search what many values begin with.
func hostileItems(r *report, json []byte) error {
	const size = 16 << 10
	prefix := strings.Join(strings.Fields(text(rand.New(rand.NewPCG(29, 31)), 100)), "-")[:47] //nolint:gosec // a fixed seed is the point
	set := redact.NewSet()
	for _, value := range values(1000) {
		if err := set.Add("v", prefix+value); err != nil {
			return err
		}
	}
	whole := []byte(strings.Repeat(prefix, size/len(prefix)))
	hide := func() {
		// Some values go on as the prefix begins, so there is no place between two hits.
		if out, hits := set.Bytes(whole); hits != 1 || string(out) != "[redacted:v]" {
			panic(fmt.Sprintf("%d hits in what all values begin with", hits))
		}
	}
	r.measure(pair{
		id: "P5d", name: "a byte of common prefixes/JSON", bar: 5,
		candidate: hide, yardstick: search(set, json), scale: float64(len(json)) / float64(len(whole)),
	})
	// Sixteen bytes of a value in a row would be a finding.
	part := prefix[:15] + "~"
	near := []byte(strings.Repeat(part, corpusSize/len(part)))
	r.measure(pair{id: "P5d", name: "15 bytes of a common prefix/JSON", bar: 5, candidate: search(set, near), yardstick: search(set, json)})
	return nil
}

// search returns a search that finds nothing.
func search(set *redact.Set, data []byte) func() {
	return func() {
		if _, hits := set.Bytes(data); hits > 0 {
			panic("a hit in clean data")
		}
	}
}

func againstCipher(r *report, sets map[int]*redact.Set, texts []corpus) error {
	for _, text := range texts {
		for _, n := range []int{10, 100, 1000} {
			cipher, err := newSealer()
			if err != nil {
				return err
			}
			bar := 1.0
			if n > 10 {
				bar = 1 / 0.65
			}
			do, name := search(sets[n], text.data), counted(text.name, n, "values")
			r.count("P5", name, allocs(2, do), 0, "allocs")
			r.measure(pair{id: "P5", name: name + "/AES-GCM", bar: bar, goal: 1, candidate: do, yardstick: func() { cipher.seal(text.data) }})
		}
	}
	return nil
}

// hitItems count what hiding values in a large text costs.
func hitItems(r *report) error {
	if !r.wants("P5e") {
		return nil
	}
	set, err := known(10)
	if err != nil {
		return err
	}
	value := values(10)["env:"+variable(0)]
	for _, n := range []int{1, 1000} {
		data := corpora(corpusSize)[1].data
		for i := range n {
			copy(data[i*len(data)/n+len(data)/n/2:], value)
		}
		do := func() {
			if _, hits := set.Bytes(data); hits != n {
				panic(fmt.Sprintf("%d hits, want %d", hits, n))
			}
		}
		name := counted("2 MB", n, "hits")
		r.count("P5e", name, allocs(4, do), 8, "allocs")
		r.count("P5e", name, func() float64 { return allocated(4, do) / float64(len(data)) }, 1.1, "of the text")
	}
	return nil
}

// allocs counts the allocations of a call.
func allocs(runs int, do func()) func() float64 {
	return func() float64 { return testing.AllocsPerRun(runs, do) }
}

// allocated is how many bytes a call allocates.
func allocated(runs int, do func()) float64 {
	do()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		do()
	}
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc-before.TotalAlloc) / float64(runs)
}

// buildItems are sets of values in the making.
func buildItems(r *report) error {
	if !r.wants("P6") {
		return nil
	}
	const n = 1000
	all := values(n)
	build := func() *redact.Set {
		set := redact.NewSet()
		for name, value := range all {
			if err := set.Add(name, value); err != nil {
				panic(err) // they are long enough
			}
		}
		return set
	}
	r.count("P6", "memory of a value, of 1,000", func() float64 {
		before := inUse()
		set := build()
		defer runtime.KeepAlive(set)
		return (inUse() - before) / n
	}, 16<<10, "bytes")
	r.clock("P6", "adding 1,000 one by one, each", func() float64 { return side{func() { build() }, 1}.once() / n / 1e3 }, 15, "us")
	return adding(r, build())
}

// adding is what one value more costs beside those of a set.
func adding(r *report, set *redact.Set) error {
	const more = 100
	var fresh [more]string
	for i := range fresh {
		fresh[i] = fmt.Sprintf("%d-value-that-is-new-%d", i*i, i)
	}
	all := side{func() {
		for _, value := range fresh {
			if err := set.Add("new", value); err != nil {
				panic(err) // they are long enough
			}
		}
		for _, value := range fresh {
			set.Remove("new", value)
		}
	}, 1}
	before := set.Len()
	if all.call(); set.Len() != before {
		return fmt.Errorf("%d values of %d are left after others were added and removed", set.Len(), before)
	}
	r.clock("P6", "adding and removing one more", func() float64 { return all.once() / more / 1e3 }, 20, "us")
	return nil
}

// inUse is the memory that is reachable.
func inUse() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
