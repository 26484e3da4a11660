// MCPProtocol
