/// Configs that are held against the parser, and against the schema that editors use.
enum ConfigCases {
    static let good: [String] = [
        #"{}"#,
        #"{"$schema": "durable-mcp.schema.json", "store": "sqlite:runs.sqlite"}"#,
        #"{"store": "memory:", "agents": {}, "keys": {}}"#,
        #"{"mcpServers": {}}"#,
        #"{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time", ""]}}}"#,
        #"{"servers": {"time": {"type": "stdio", "command": "uvx"}}, "inputs": []}"#,
        #"{"mcpServers": {"a-b_c": {"command": "x", "env": {"A": "${B:-c}"}, "cwd": "/"}}}"#,
        #"{"mcpServers": {"a": {"command": "x", "disabled": true, "timeout": 60}}}"#,
        #"{"mcpServers": {"a": {"url": "https://example.com/mcp", "headers": {"X-A": "b"}}}}"#,
        #"{"mcpServers": {"a": {"type": "http", "url": "https://example.com/mcp"}}}"#,
        #"{"mcpServers": {"a": {"command": "x", "durable": {}}}}"#,
        #"{"mcpServers": {"a": {"command": "x", "durable": {"allow": []}}}}"#,
        """
        {"mcpServers": {"a": {"command": "x", "durable": {
          "allow": ["read_*", "send"], "trustAnnotations": true,
          "tools": {"*": {"timeoutSeconds": 1.5, "settleSeconds": 0},
                    "send": {"effect": "external", "approval": true, "risk": "high",
                             "replayOnCrash": true}}}}}}
        """,
        #"{"access": {"stdio": {"roles": [], "authLevel": "anonymous"}, "tokens": []}}"#,
        """
        {"access": {"tokens": [{"principal": "ci",
          "tokenHash": "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
          "roles": ["use", "approve"], "authLevel": "devicePasscode",
          "personBehindElicitation": true}],
          "allowedHosts": ["mcp.example.com"], "allowedOrigins": ["https://example.com"]}}
        """,
        #"{"expose": {"runs": false, "approvals": true, "graph": false}}"#,
        #"{"limits": {"bodyBytes": 1048576}}"#,
    ]

    /// With each, a part of what its error must say.
    static let bad: [(config: String, says: String)] = [
        (#"[]"#, "must be an object"),
        (#"{"stor": "memory:"}"#, "stor: 'stor' is not known here. Did you mean 'store'?"),
        (#"{"zzzzzzzz": 1}"#, "Known are 'store'"),
        (#"{"store": 1}"#, "store: must be a text"),
        (#"{"store": ""}"#, "store: must be a text"),
        (#"{"store": "mysql:x"}"#, "'mysql:x' is no store"),
        (#"{"store": "postgres://x"}"#, "not supported yet"),
        (#"{"agents": {"a": {}}}"#, "Agents are not supported yet"),
        (#"{"keys": {"a": "b"}}"#, "not supported yet"),
        (#"{"mcpServers": []}"#, "mcpServers: must be an object"),
        (#"{"mcpServers": {"a__b": {"command": "x"}}}"#, "mcpServers.a__b: A server's name"),
        (#"{"mcpServers": {"a b": {"command": "x"}}}"#, "mcpServers[\"a b\"]: A server's name"),
        (#"{"mcpServers": {"": {"command": "x"}}}"#, "A server's name"),
        (#"{"mcpServers": {"a": {}}}"#, "mcpServers.a: A server needs a 'command'"),
        (#"{"mcpServers": {"a": "x"}}"#, "mcpServers.a: must be an object"),
        (#"{"mcpServers": {"a": {"command": ""}}}"#, "mcpServers.a.command: must be a text"),
        (#"{"mcpServers": {"a": {"command": "x", "url": "y"}}}"#, "not both"),
        (#"{"mcpServers": {"a": {"command": "x", "args": "y"}}}"#, "must be a list"),
        (#"{"mcpServers": {"a": {"command": "x", "args": [1]}}}"#, "mcpServers.a.args[0]: must"),
        (#"{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}"#, "a.env.A: must be a text"),
        (#"{"mcpServers": {"a": {"command": "x", "env": {"A=": ""}}}}"#, "name of a variable"),
        (#"{"mcpServers": {"a": {"url": "x", "headers": {"a b": ""}}}}"#, "name of a header"),
        (#"{"mcpServers": {"a": {"command": "x", "type": "http"}}}"#, "must be \"stdio\""),
        (#"{"mcpServers": {"a": {"url": "x", "type": "stdio"}}}"#, "must be \"http\""),
        (#"{"mcpServers": {"a": {"command": "x", "type": "pipe"}}}"#, "a.type: must be"),
        (#"{"mcpServers": {"a": {"command": "x", "disabled": 1}}}"#, "must be true or false"),
        (
            #"{"mcpServers": {"a": {"command": "x", "durable": {"trustAnotations": true}}}}"#,
            "Did you mean 'trustAnnotations'?"
        ),
        (#"{"mcpServers": {"a": {"command": "x", "durable": {"allow": "*"}}}}"#, "must be a list"),
        (#"{"mcpServers": {"a": {"command": "x", "durable": {"allow": [""]}}}}"#, "allow[0]"),
        (tool(#"{"effect": "transactional"}"#), "cannot be 'transactional'"),
        (tool(#"{"effect": "purr"}"#), "Did you mean \"pure\"?"),
        (tool(#"{"effect": "external", "retry": {}}"#), "never retried by itself"),
        (tool(#"{"retry": {}}"#), "'retry' is not supported yet"),
        (tool(#"{"reconcile": {}}"#), "tools.t.reconcile: 'reconcile' is not supported yet"),
        (tool(#"{"aproval": true}"#), "Did you mean 'approval'?"),
        (tool(#"{"approval": "yes"}"#), "tools.t.approval: must be true or false"),
        (tool(#"{"risk": "low"}"#), "must be one of \"standard\", \"high\""),
        (tool(#"{"replayOnCrash": 1}"#), "must be true or false"),
        (tool(#"{"timeoutSeconds": 0}"#), "must be a number of seconds"),
        (tool(#"{"timeoutSeconds": "5"}"#), "must be a number of seconds"),
        (tool(#"{"settleSeconds": 86401}"#), "must be a number of seconds"),
        (tool("true"), "tools.t: must be an object"),
        (#"{"access": {"oauth": {}}}"#, "access.oauth: 'oauth' is not supported yet"),
        (#"{"access": {"stdio": {"role": ["use"]}}}"#, "Did you mean 'roles'?"),
        (#"{"access": {"stdio": {"roles": ["root"]}}}"#, "access.stdio.roles[0]: must be one of"),
        (#"{"access": {"stdio": {"authLevel": "sesion"}}}"#, "Did you mean \"session\"?"),
        (#"{"access": {"tokens": {}}}"#, "access.tokens: must be a list"),
        (#"{"access": {"tokens": [{"principal": "a"}]}}"#, "'tokenHash' is missing"),
        (
            #"{"access": {"tokens": [{"principal": "a", "tokenHash": "plain"}]}}"#,
            "access.tokens[0].tokenHash: A token hash is"
        ),
        (#"{"expose": {"graph": true}}"#, "not supported yet"),
        (#"{"expose": ["runs"]}"#, "expose: must be an object"),
        (#"{"limits": {"bodyBytes": 10}}"#, "must be a whole number from 1024"),
        (#"{"limits": {"bodyByte": 2048}}"#, "Did you mean 'bodyBytes'?"),
    ]

    /// What only the parser refuses: a schema cannot tell.
    static let badForTheParser: [(config: String, says: String)] = [
        (#"{"mcpServers": {}, "servers": {}}"#, "not both"),
        (#"{"mcpServers": {"a": {"command": "${input:key}"}}}"#, "is no reference known here"),
        (#"{"mcpServers": {"a": {"command": "x", "env": {"A": "${B"}}}}"#, "no closing"),
        (#"{"mcpServers": {"a": {"command": "a\u0000"}}}"#, "NUL"),
        (#"{"store": "memory:", "store": "memory:"}"#, "This is no JSON. The object already has"),
    ]

    private static func tool(_ override: String) -> String {
        #"{"mcpServers": {"a": {"command": "x", "durable": {"tools": {"t": \#(override)}}}}}"#
    }
}
