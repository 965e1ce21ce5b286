#!/usr/bin/env bash
# The browser tests need Chromium: the system's, or a package where the package manager may install one.
set -euo pipefail
for name in "${NILAM_CHROMIUM:-}" chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then exit 0; fi
done
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null
    exit 0
fi
echo "Chromium is missing: install it, or name it in NILAM_CHROMIUM" >&2
exit 1
