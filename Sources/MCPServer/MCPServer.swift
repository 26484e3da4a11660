// MCPServer
