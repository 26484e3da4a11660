internal import OrderedJSON

/// A server behind us whose one tool does nothing, so that only the way there is measured.
struct EchoServer {
    /// The effect kind of its tool, and its name.
    var name: String
    /// How many commits a call may cost.
    var commits: Double

    static let all = [
        EchoServer(name: "pure", commits: 1), EchoServer(name: "external", commits: 2),
    ]

    /// The tool's own name.
    static let tool = "echo"

    /// The tool's name, as a client of ours calls it.
    var proxiedTool: String { "\(name)__\(Self.tool)" }

    /// Its entry in our configuration.
    func entry(_ bench: Workbench) -> JSONValue {
        let policy: JSONValue = ["effect": .string(name), "approval": false]
        return [
            "command": .string(bench.program("mcp-fixture")),
            "durable": ["tools": .object([Self.tool: policy])],
        ]
    }
}
