# `make run` and `make test` do all their own set-up: Rust, Node and npm are enough.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
export CARGO_TERM_COLOR ?= never

NODE := node_modules/.bin/node
# One build for every test step: with other targets or features cargo would compile the dependencies of tests anew.
BUILD_TEST := cargo build --workspace --features svc-kit/testing --bins --tests --example s3_store
WITH_POSTGRES := target/debug/with-postgres
DENY := target/tools/bin/cargo-deny

.PHONY: help run build test check test-rust test-frontend test-sql test-e2e test-e2e-mounted test-e2e-apart types differential-auth differential-storage bench bench-web clean browser nats

help: ## Lists the targets.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 22

run: frontend/dist/index.html node_modules/.stamp ## Builds and serves the marketplace on http://127.0.0.1:54321.
	# Only what runs: linking every service's binary as well takes longer than compiling.
	cargo build --release --package standalone
	target/release/standalone start

build: frontend/dist/index.html node_modules/.stamp ## Builds all binaries into target/release, and the front end.
	cargo build --release --workspace --bins

node_modules/.stamp: package.json package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

frontend/node_modules/.stamp: frontend/package.json frontend/package-lock.json
	# Not `npm ci`: npm leaves packages for other systems out of the lock file, and then calls it incomplete.
	cd frontend && npm install --no-save --no-audit --no-fund
	@touch $@

FRONTEND_SOURCES := $(shell find frontend -path frontend/node_modules -prune -o -path frontend/dist -prune -o -type f -print 2>/dev/null)

frontend/dist/index.html: frontend/node_modules/.stamp $(FRONTEND_SOURCES)
	cd frontend && npm run build
	@touch $@

test: test-rust test-sql test-frontend test-e2e ## Runs every test.

test-rust: node_modules/.stamp nats ## Runs the unit and service tests on one throw-away Postgres.
	$(BUILD_TEST)
	# Service tests wait for a database and for each other more than they compute.
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$((2 * $$(getconf _NPROCESSORS_ONLN)))} \
		$(WITH_POSTGRES) cargo test --workspace --features svc-kit/testing --tests

test-sql: node_modules/.stamp frontend/node_modules/.stamp ## Checks the product's row-level security, and that the front end's types are the database's.
	$(BUILD_TEST)
	$(WITH_POSTGRES) scripts/test-sql.sh
	$(WITH_POSTGRES) scripts/gen-types.sh --check

types: node_modules/.stamp frontend/node_modules/.stamp ## Writes the front end's database types anew.
	$(BUILD_TEST)
	$(WITH_POSTGRES) scripts/gen-types.sh

test-frontend: frontend/node_modules/.stamp ## Runs the front end's unit tests.
	cd frontend && npm test

test-e2e: test-e2e-mounted test-e2e-apart ## Runs the contract and browser tests, in one process and apart.

# Three files at a time on two cores: half of the time of a test, a browser waits.
test-e2e-mounted: node_modules/.stamp frontend/dist/index.html browser
	$(BUILD_TEST)
	NILAM_E2E_MODE=mounted $(NODE) --test --test-concurrency=3 --test-timeout=900000 --test-reporter=spec 'tests/**/*.test.mjs'

test-e2e-apart: node_modules/.stamp frontend/dist/index.html browser nats
	$(BUILD_TEST)
	NILAM_E2E_MODE=apart $(NODE) --test --test-concurrency=3 --test-timeout=900000 --test-reporter=spec 'tests/**/*.test.mjs'

differential-auth: node_modules/.stamp ## Sends the same requests to GoTrue and to auth-svc, and shows what differs. Needs GOTRUE_BIN.
	cargo build --package auth-svc --package pg-embed --bins
	target/debug/with-postgres $(NODE) tests/differential/auth.mjs $(SCENARIOS)
	target/debug/with-postgres $(NODE) tests/differential/takeover.mjs

differential-storage: node_modules/.stamp ## Sends the same requests to storage-api and to storage-svc, and shows what differs. Needs STORAGE_API_DIR.
	cargo build --package storage-svc --package pg-embed --bins
	target/debug/with-postgres $(NODE) tests/differential/storage.mjs $(SCENARIOS)
	target/debug/with-postgres $(NODE) tests/differential/storage-takeover.mjs

bench: build ## Measures everything beside peers and limits, into one table: target/bench/results.md. BENCH_SUITES=rest,gateway for some.
	scripts/ensure-bench-tools.sh
	cargo build --release --package auth-svc --package image-transform --package storage-svc --package realtime-svc --examples
	$(NODE) benches/all.mjs

bench-web: build browser ## Measures the front end: sizes, and visits on a slow phone.
	NILAM_BINARIES=target/release $(NODE) benches/web.mjs

nats: ## Installs the NATS server where there is none and the system's package manager can.
	@scripts/ensure-nats.sh

browser: ## Installs Chromium where there is none and the system's package manager can.
	@scripts/ensure-chromium.sh

check: node_modules/.stamp frontend/node_modules/.stamp $(DENY) ## Formats, lints, types, licences, dashboard and alerts.
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- --deny warnings
	$(DENY) --all-features check bans licenses sources
	cd frontend && npm run format:check && npm run lint && npm run typecheck
	$(NODE) scripts/check-monitoring.mjs
	node_modules/.bin/prettier --check 'tests/**/*.mjs' 'benches/**/*.mjs' 'scripts/**/*.mjs' package.json
	$(NODE) scripts/check-requirements.mjs

$(DENY):
	# A debug build: it runs for seconds and would compile for minutes.
	cargo install cargo-deny --version 0.20.2 --locked --debug --root target/tools

clean: ## Removes what was built, but no data.
	cargo clean
	rm -rf frontend/dist node_modules frontend/node_modules
