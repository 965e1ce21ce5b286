#!/usr/bin/env bash
# The tests of several copies of the realtime service need NATS: the system's, or a package where the package manager
# may install one.
set -euo pipefail
for name in nats-server /usr/sbin/nats-server /usr/local/bin/nats-server; do
    if command -v "$name" >/dev/null; then exit 0; fi
done
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq && apt-get install -y -qq --no-install-recommends nats-server >/dev/null
    exit 0
fi
echo "nats-server is missing: install the package nats-server" >&2
exit 1
