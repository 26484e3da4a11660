# The targets of everyday work; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help

# Extra flags for every `swift build` and `swift test`, such as `SWIFT_FLAGS=--jobs=1`.
SWIFT_FLAGS ?=
# Extra arguments of `durable-mcp serve`, such as `ARGS="--config mcp-config/server.jsonc"`.
ARGS ?=
ADDRESS ?= 127.0.0.1:8765

SWIFT_SOURCES := Package.swift Sources Tests

.PHONY: help
help: ## Lists the targets.
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

.PHONY: install
install: ## Installs the Debian packages that are missing (as root, or by sudo).
	@scripts/install-dependencies.sh

.PHONY: build
build: install ## Builds everything for debugging; a warning is an error.
	@swift build --build-tests $(SWIFT_FLAGS)

.PHONY: format
format: install ## Formats every Swift file in place.
	@swift format --in-place --parallel --recursive $(SWIFT_SOURCES)

.PHONY: lint
lint: install ## Checks the format of every Swift file.
	@swift format lint --strict --parallel --recursive $(SWIFT_SOURCES)

.PHONY: venv
venv: install ## Makes the Python environment in .build/venv that some tests use.
	@scripts/make-python-environment.sh

.PHONY: test
test: lint venv build ## Installs, builds, checks the format and runs every test.
	@swift test --skip-build --disable-xctest $(SWIFT_FLAGS)

.PHONY: run
run: install ## Builds for release and serves HTTP on 127.0.0.1:8765 with a durable store.
	@swift build --configuration release --product durable-mcp $(SWIFT_FLAGS)
	exec .build/release/durable-mcp serve --http $(ADDRESS) $(ARGS)

.PHONY: prove
prove: ## Runs the tests on a bare Debian 12 in a throw-away root (needs root; slow).
	@scripts/prove-clean-debian.sh
