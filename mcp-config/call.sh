#!/usr/bin/env bash
# Calls a tool of a durable-mcp server over HTTP with curl alone.
#
#   export DURABLE_MCP_TOKEN=$(durable-mcp token create)
#   mcp-config/call.sh                                   lists the runs
#   mcp-config/call.sh time__get_current_time '{"timezone": "Europe/Berlin"}'
#
# With REQUEST_ID=… a repeated call finds the run of the first one and does nothing again.
set -euo pipefail

url=${DURABLE_MCP_URL:-http://127.0.0.1:8765/mcp}
tool=${1:-list_runs}
arguments=${2:-'{}'}
request_id=${REQUEST_ID:-call-$RANDOM-$RANDOM}

body='{
  "jsonrpc": "2.0",
  "id": 1,
  "method": "tools/call",
  "params": {
    "name": "'$tool'",
    "arguments": '$arguments',
    "_meta": {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": {"name": "curl", "version": "1.0.0"},
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
}'

# The token comes in over standard input: every user of a machine sees arguments.
curl --silent --show-error --fail-with-body --write-out '\n' "$url" \
    --header 'Content-Type: application/json' \
    --header 'Accept: application/json, text/event-stream' \
    --header 'MCP-Protocol-Version: 2026-07-28' \
    --header 'Mcp-Method: tools/call' \
    --header "Mcp-Name: $tool" \
    --header "Idempotency-Key: $request_id" \
    --header @- \
    --data "$body" \
    <<<"${DURABLE_MCP_TOKEN:+Authorization: Bearer $DURABLE_MCP_TOKEN}"
