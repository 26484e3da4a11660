#!/usr/bin/env bash
# Makes .build/venv: the Python packages that our tests talk to, at pinned versions.
#
# Quick when it was made before from the same list. Where the packages cannot be had, says so and
# succeeds: the tests that need them are then shown as skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

list=fixtures/python/requirements.txt
folder=.build/venv
# The tests look for this file; it is there only when the installation is complete.
stamp=$folder/complete

if [[ -f $stamp ]] && cmp --silent "$list" "$stamp"; then exit 0; fi

echo "Making the Python environment for the tests in $folder." >&2
mkdir -p .build
rm -rf "$folder"
log=.build/venv.log
if python3 -m venv "$folder" >"$log" 2>&1 &&
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-input \
        --requirement "$list" >>"$log" 2>&1; then
    cp "$list" "$stamp"
else
    tail -n 5 "$log" >&2
    echo "NOTE: the Python packages in $list could not be installed (see $log)." >&2
    echo "NOTE: the tests against other MCP implementations will be SKIPPED." >&2
fi
