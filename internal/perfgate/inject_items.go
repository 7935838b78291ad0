package main

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// injectItems are arguments with and without references.
func injectItems(r *report) error {
	if !r.wants("P3") && !r.wants("P4") && !r.wants("P4b") {
		return nil
	}
	const refs = 100
	with := setting{policy: policy(refs, "off"), values: values(refs), sink: audit.Discard()}
	return with.inActivity(func(a attempts) error {
		inject := func(args ...any) func() {
			return func() {
				if _, _, err := a.parts(args, nil); err != nil {
					panic(err) // the policy grants all of them
				}
			}
		}
		if r.wants("P3") {
			if err := nothingToInject(r, inject); err != nil {
				return err
			}
		}
		if r.wants("P4") {
			r.measure(pair{
				id: "P4", name: "1,000 entries/10, 5 refs", bar: 1.3,
				candidate: inject(manifest(1000, 5)), yardstick: inject(manifest(10, 5)),
			})
		}
		if r.wants("P4b") {
			many, none := inject(manifest(10, refs)), inject(manifest(10, 0))
			r.count("P4b", "a reference more", func() float64 {
				return (testing.AllocsPerRun(100, many) - testing.AllocsPerRun(100, none)) / refs
			}, 4, "allocs")
			m, n := calibrated(many), calibrated(none)
			r.clock("P4b", "a reference more, time", func() float64 { return (m.once() - n.once()) / refs }, 250, "ns")
		}
		return nil
	})
}

// nothingToInject are arguments that hold no reference.
func nothingToInject(r *report, inject func(...any) func()) error {
	random := rand.New(rand.NewPCG(13, 17)) //nolint:gosec // a fixed seed is the point
	for _, item := range []struct {
		name string
		arg  any
		bar  float64
	}{
		{"manifest of 10 entries", manifest(10, 0), 0.05},
		{"manifest of 1,000 entries", manifest(1000, 0), 0.05},
		{"map of 1 KB", tree(random, 1<<10), 0.10},
		{"map of 100 KB", tree(random, 100<<10), 0.10},
		{"map of 2 MB", tree(random, 2<<20), 0.10},
		// Of 1.5 ms for its JSON, 100 ns are as much as this.
		{"bytes of 2 MB", blob{"page", make([]byte, 2<<20)}, 0.00007},
	} {
		do := inject(item.arg)
		r.count("P3", item.name, func() float64 { return testing.AllocsPerRun(20, do) - testing.AllocsPerRun(20, inject()) }, 0, "allocs")
		arg := item.arg
		if _, err := json.Marshal(arg); err != nil {
			return err
		}
		r.measure(pair{id: "P3", name: item.name + "/JSON", bar: item.bar, candidate: do, yardstick: func() { _, _ = json.Marshal(arg) }})
	}
	return nil
}
