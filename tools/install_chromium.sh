#!/bin/sh
# Install a Chromium for the tests in tests/browser, if there is none and it is possible.
# Prints one line, and never fails: without a browser those tests are skipped.

say() { echo "browser: $*"; }
skip() { say "$*; the tests in tests/browser will be skipped"; exit 0; }

for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if found=$(command -v "$name"); then
    say "tests use $found"
    exit 0
  fi
done

remedy="install chromium or google-chrome to run them"
command -v apt-get >/dev/null || skip "no Chromium here, and no apt-get to install it with ($remedy)"
[ "$(id -u)" = 0 ] || skip "no Chromium here, and only root can install it with apt-get ($remedy)"

say "installing chromium with apt-get, which takes a minute or two"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update && apt-get install -y --no-install-recommends chromium; } >"$log" 2>&1; then
  reason=$(grep '^E:' "$log" | head -n 1)
  rm -f "$log"
  skip "apt-get could not install chromium (${reason:-no reason given})"
fi
rm -f "$log"
