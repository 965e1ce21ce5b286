#!/usr/bin/env bash
# Writes the front end's database types from the migrated throw-away database, or with --check fails if they differ
# from what is committed. The Supabase CLI makes them; it is fetched when it is needed, because nothing else needs it.
set -euo pipefail
types=frontend/src/types/database.ts
target/debug/standalone migrate --database-url "$NILAM_TEST_DATABASE_URL" --seed none
fresh=$(mktemp --suffix=.ts)
trap 'rm -f "$fresh"' EXIT
npm exec --yes --package=supabase@3.1.0 -- \
    supabase gen types --remote="$NILAM_TEST_DATABASE_URL" --lang=typescript --schema public 2>/dev/null |
    sed -n '/^export type Json/,$p' >"$fresh"
# Formatted under the name that it will have, so that the front end's own settings hold.
(cd frontend && node_modules/.bin/prettier --stdin-filepath "${types#frontend/}" <"$fresh") >"$fresh.formatted"
mv "$fresh.formatted" "$fresh"
if [ "${1:-}" = --check ]; then
    diff -u "$types" "$fresh" || {
        echo "$types is not what the database says: run \`make types\`" >&2
        exit 1
    }
else
    cp "$fresh" "$types"
fi
