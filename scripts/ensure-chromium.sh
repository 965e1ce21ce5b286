#!/usr/bin/env bash
# The browser tests need Chromium: the system's, or a package where the package manager may install one.
set -euo pipefail
for name in "${NILAM_CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
    if [ -n "$name" ] && command -v "$name" >/dev/null; then exit 0; fi
done
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # The one without windows does for tests; not every release of the system has it.
    for package in chromium-headless-shell chromium; do
        if apt-get install -y -qq --no-install-recommends "$package" >/dev/null; then exit 0; fi
    done
fi
echo "Chromium is missing: install it, or name it in NILAM_CHROMIUM" >&2
exit 1
