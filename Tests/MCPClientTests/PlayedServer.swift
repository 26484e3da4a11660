import MCPClient
import MCPProtocol
import OrderedJSON
import Synchronization

/// A server that a test plays, with a record of everything it was sent.
final class PlayedServer: Sendable {
    typealias End = InMemoryTransport.ServerEnd
    typealias Reaction = @Sendable (JSONValue, End) -> Void

    private let sent = Mutex<[JSONValue]>([])
    private let made = Mutex<[InMemoryTransport]>([])
    private let reactions: @Sendable (_ connection: Int, _ method: String) -> Reaction?

    /// A server that reacts to a method as told, and is silent where it is told nothing.
    init(_ reactions: @escaping @Sendable (Int, String) -> Reaction?) {
        self.reactions = reactions
    }

    /// Everything that was sent by the client, oldest first.
    var received: [JSONValue] { sent.withLock(\.self) }

    /// The methods that were sent by the client, oldest first.
    var methods: [String] { received.compactMap { $0["method"]?.stringValue } }

    /// The connections that were made, oldest first.
    var connections: [InMemoryTransport] { made.withLock(\.self) }

    /// A client of this server.
    func client(
        time: ClientTime = .machine, configure: (inout UpstreamConfiguration) -> Void = { _ in }
    ) -> UpstreamClient {
        var configuration = Fixture.configuration("played")
        configure(&configuration)
        return UpstreamClient(configuration, time: time) {
            let number = self.connections.count
            let transport = InMemoryTransport { message, end in
                self.sent.withLock { $0.append(message) }
                guard let method = message["method"]?.stringValue else { return }
                self.reactions(number, method)?(message, end)
            }
            self.made.withLock { $0.append(transport) }
            return transport
        }
    }

    /// A modern server that lists no tools and answers calls as told.
    static func modern(
        capabilities: JSONValue = ["tools": [:]], call: @escaping Reaction = { _, _ in },
        list: @escaping Reaction = answering(["tools": [], "ttlMs": 0, "cacheScope": "public"])
    ) -> PlayedServer {
        PlayedServer { _, method in
            switch method {
            case Method.discover:
                answering(["supportedVersions": ["2026-07-28"], "capabilities": capabilities])
            case Method.listTools: list
            case Method.callTool: call
            default: nil
            }
        }
    }

    /// A legacy server that lists tools and answers calls as told.
    static func legacy(
        version: String = "2025-11-25", call: @escaping Reaction = { _, _ in },
        list: @escaping Reaction = answering(["tools": []])
    ) -> PlayedServer {
        PlayedServer { _, method in
            switch method {
            case Method.discover: refusing(-32601)
            case Method.initialize: answering(initialized(version))
            case Method.listTools: list
            case Method.callTool: call
            default: nil
            }
        }
    }

    /// The result of `initialize` in this revision.
    static func initialized(_ version: String) -> JSONValue {
        [
            "protocolVersion": .string(version), "capabilities": ["tools": [:]],
            "serverInfo": ["name": "played", "version": "1"],
        ]
    }

    static func answering(_ result: JSONValue) -> Reaction {
        { message, end in end.send(["jsonrpc": "2.0", "id": message["id"] ?? 0, "result": result]) }
    }

    static func refusing(_ code: Int, data: JSONValue = .null) -> Reaction {
        { message, end in
            let error: JSONValue = [
                "code": .number(JSONNumber(code)), "message": "no", "data": data,
            ]
            end.send(["jsonrpc": "2.0", "id": message["id"] ?? 0, "error": error])
        }
    }
}
