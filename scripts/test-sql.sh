#!/usr/bin/env bash
# Migrates and fills the throw-away database, then checks every cell of the policy table, searches and indexes.
set -euo pipefail
target/debug/standalone migrate --database-url "$NILAM_TEST_DATABASE_URL" --seed demo
DATABASE_URL="$NILAM_TEST_DATABASE_URL" node_modules/.bin/node --test --test-concurrency=1 --test-reporter=spec 'sql/marketplace/*.test.mjs'
