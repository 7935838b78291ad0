package main

import (
	"encoding/json"
	"fmt"

	"github.com/sandboxguard/sandboxguard/validation"
)

// detectItems look for text with the form of a credential.
func detectItems(r *report) error {
	if !r.wants("P8") {
		return nil
	}
	const size = 1 << 20
	texts := corpora(size)
	program, err := source(size)
	if err != nil {
		return err
	}
	texts[0] = corpus{"source", program}
	planted := "npm" + "_" + values(1)["env:"+variable(0)] + values(1)["env:"+variable(0)]
	if len(validation.DetectCredentials("x "+planted[:40]+" y")) != 1 {
		return fmt.Errorf("a planted credential was not found")
	}
	for _, text := range texts {
		if text.name == "binary" {
			continue // is not looked at
		}
		clean := string(text.data)
		do := func() {
			if validation.DetectCredentials(clean) != nil {
				panic("a finding in clean text")
			}
		}
		cipher, err := newSealer()
		if err != nil {
			return err
		}
		r.count("P8", text.name, allocs(2, do), 0, "allocs")
		r.measure(pair{id: "P8", name: text.name + "/AES-GCM", bar: 4, candidate: do, yardstick: func() { cipher.seal(text.data) }})
	}
	return nil
}

// manifestItems hold manifests against a policy.
func manifestItems(r *report) error {
	if !r.wants("P9") {
		return nil
	}
	policies, err := validation.ParsePolicies("policy.yaml", []byte(policy(5, "enforce")))
	if err != nil {
		return err
	}
	queue, _ := policies.PolicyFor(validation.Queue{Name: "agents"})
	if refused := queue.CheckManifest(manifest(1, 6), "StartJob/0"); len(refused) == 0 {
		return fmt.Errorf("a reference without a grant was not refused")
	}
	for _, n := range []int{10, 50, 1000} {
		m, name := manifest(n, 5), fmt.Sprintf("manifest of %d entries", n)
		do := func() {
			if queue.CheckManifest(m, "StartJob/0") != nil {
				panic("a violation in a clean manifest")
			}
		}
		r.count("P9", name, allocs(20, do), 0, "allocs")
		r.measure(pair{id: "P9", name: name + "/JSON", bar: 0.25, candidate: do, yardstick: func() { _, _ = json.Marshal(m) }})
	}
	return nil
}
