#!/usr/bin/env bash
# The benches need wrk, nginx, psql and pgbench, which npm does not have, and peers, which it has.
set -euo pipefail
missing=()
command -v wrk >/dev/null || missing+=(wrk)
command -v nginx >/dev/null || missing+=(nginx-light)
command -v pgbench >/dev/null && command -v psql >/dev/null || missing+=(postgresql)
if [ ${#missing[@]} -gt 0 ]; then
    if ! command -v apt-get >/dev/null || [ "$(id -u)" != 0 ]; then
        echo "missing: ${missing[*]}" >&2
        exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
mkdir -p target/lite
npm install --prefix target/lite --no-audit --no-fund --loglevel=error @supabase/lite@0.10.0 postgres@3.4.9 sharp@0.34.5
