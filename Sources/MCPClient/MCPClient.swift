// MCPClient
