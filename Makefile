# Two commands matter: make demo and make test. Everything else is a part of
# them, or for contributors.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

GOLANGCI_VERSION := v2.15.0
TOOLS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/cuatui/bin
GOLANGCI := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)

# A checkout that git will not read (none, or another user's) cannot be stamped
# with its revision, and the build would fail for that alone. Then it is built
# without; cuatui --version shows a revision where there is one.
VCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && echo auto || echo false)
export GOFLAGS += -buildvcs=$(VCS)

.PHONY: demo
demo: ## Open the inspector on a built-in page in a real browser
	@.ci/install-deps demo
	@$(MAKE) --no-print-directory build
	@bin/cuatui --demo

# One build serves all of it, the program that the tests drive included: the one
# with the race detector.
.PHONY: test
test: export GOFLAGS += -race
test: ## Everything that must hold before a change is merged
	@.ci/install-deps test
	@$(MAKE) --no-print-directory vet lint
	@.ci/gotest ./engine/e2e ./engine/observe ./tui ./... # the longest first

.PHONY: build
build: ## Build bin/cuatui
	go build -trimpath -o bin/cuatui .

.PHONY: vet
vet: ## gofmt, go vet, and whether it compiles for every system that is built for
	@unformatted=$$(gofmt -l .); if [[ -n $$unformatted ]]; then echo "not gofmt-ed:" $$unformatted; exit 1; fi
	go vet ./...
	go run ./fixtures/elsewhere darwin windows

.PHONY: lint
lint: $(GOLANGCI) ## golangci-lint, as .golangci.yml says
	$(GOLANGCI) run ./...

# Built from source, so that it needs nothing but the Go module proxy, and without
# inlining and debug information, which are a third of the work. The first build takes some minutes; it
# is kept outside the repository.
$(GOLANGCI):
	GOFLAGS= GOBIN=$(TOOLS) go install -gcflags='all=-l -dwarf=false' -ldflags='-s -w' github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv $(TOOLS)/golangci-lint $@

.PHONY: bench
bench: ## Ratios in one run; never part of a test (docs/bench.md)
	@.ci/install-deps test
	go test -run '^$$' -bench . -benchtime 1x -timeout 60m ./engine/bench

.PHONY: bench-peers
bench-peers: ## The same pages by other programs, newest of npm; optional (docs/bench.md)
	@.ci/install-deps peers
	@prefix=$$(mktemp -d); trap 'rm -rf "$$prefix"' EXIT; \
	for peer in chrome-devtools-mcp @playwright/mcp agent-browser; do \
		npm install --prefix "$$prefix" --no-audit --no-fund --ignore-scripts --loglevel=error "$$peer@latest" || echo "npm does not install $$peer" >&2; \
	done; \
	go test -run '^$$' -bench '^BenchmarkPeers$$' -benchtime 1x -timeout 60m ./engine/bench -args -peers="$$prefix"

.PHONY: docs
docs: ## Rewrite the generated pages of docs/
	go test -count=1 ./engine/refusal -run TestDocsAreCurrent -update
	go test -count=1 ./snapshotfmt -run TestDocsAreCurrent -update
	go test -count=1 ./platform -run TestDocsAreCurrent -update
	go test -count=1 ./tui/cmdtable -run TestDocsAreCurrent -update
	go test -count=1 . -run 'TestTheTourOfTheDocs|TestTheManualPageIsOfTheCommands' -update

.PHONY: install-deps
install-deps: ## Install what make test needs and the system lacks
	@.ci/install-deps test

.PHONY: clean
clean: ## Remove what the build and the tests leave in the repository
	rm -rf bin .build

.PHONY: help
help: ## List these targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16
