# Convenience only: each target is a line or two that you can type yourself, and
# nothing in the project needs make.
include .ci/versions

.DEFAULT_GOAL := help
.PHONY: help test test-all lint fmt tidy fuzz bench demo

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

test: ## the library's tests with the race detector (needs a C compiler)
	go test -race ./...

test-all: ## both modules, with the embedded server
	go -C integration_test test github.com/sandboxguard/sandboxguard/...

lint: ## golangci-lint and workflowcheck in both modules
	bash .ci/run lint workflowcheck integration-lint integration-workflowcheck

fmt: ## format both modules
	go run $(GOLANGCI_LINT) fmt ./...
	go -C integration_test run $(GOLANGCI_LINT) fmt --config ../.golangci.yml ./...

tidy: ## show what go mod tidy would change in both modules
	go mod tidy -diff
	go -C integration_test mod tidy -diff

fuzz: ## every fuzz target for FUZZTIME (default 5s)
	bash .ci/run fuzz

bench: ## the library's benchmarks
	go test -run '^$$' -bench . -benchmem ./...

demo: ## the demonstration on the embedded server
	go -C integration_test run ./cmd/demo
