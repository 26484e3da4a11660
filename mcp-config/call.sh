#!/usr/bin/env bash
# Calls a tool of a durable-mcp server over HTTP with curl alone, twice with one request id: the
# second call finds the run of the first and changes nothing.
#
#   DURABLE_MCP_TOKEN=$(durable-mcp token create) mcp-config/call.sh TOOL ['{"arguments": …}']
set -euo pipefail

url=${DURABLE_MCP_URL:-http://127.0.0.1:8765/mcp}
tool=${1:-list_runs}
arguments=${2:-'{}'}
request_id=${REQUEST_ID:-call-$RANDOM-$RANDOM}
authorization=()
if [[ -n ${DURABLE_MCP_TOKEN:-} ]]; then
    # From a file descriptor, since what stands in arguments is seen by every user.
    authorization=(--header @<(printf 'Authorization: Bearer %s' "$DURABLE_MCP_TOKEN"))
fi

meta='"io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": {"name": "curl", "version": "1.0.0"},
      "io.modelcontextprotocol/clientCapabilities": {}'

post() { # METHOD NAME PARAMS
    local name=()
    if [[ -n $2 ]]; then name=(--header "Mcp-Name: $2"); fi
    curl --silent --show-error --fail-with-body "$url" \
        "${authorization[@]}" "${name[@]}" \
        --header 'Content-Type: application/json' \
        --header 'Accept: application/json, text/event-stream' \
        --header 'MCP-Protocol-Version: 2026-07-28' \
        --header "Mcp-Method: $1" \
        --header "Idempotency-Key: $request_id" \
        --data "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"$1\", \"params\": {$3\"_meta\": {$meta}}}"
    echo
}

post tools/call "$tool" "\"name\": \"$tool\", \"arguments\": $arguments, "
