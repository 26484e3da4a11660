import EpollServer
import Foundation
import JSONSchema
import MCPProtocol
import OrderedJSON
import Testing

/// The protocol's own JSON Schemas, in the folder that `MCP_SCHEMAS` names: `mcp-2026-07-28.json`
/// and so on.
enum MessageSchemas {
    static let folder = ProcessInfo.processInfo.environment["MCP_SCHEMAS"]

    static let arePresent = folder != nil

    /// The document of one revision.
    static func document(_ version: String) throws -> JSONValue {
        try JSONValue(
            parsing: Data(
                contentsOf: URL(filePath: try #require(folder)).appending(
                    path: "mcp-\(version).json")),
            limits: JSONLimits(depth: 256))
    }

    /// The definition that an answer to a request must conform to, and the part that must.
    static func definition(
        of message: JSONValue, answering method: String, in document: JSONValue
    ) throws -> (name: String, value: JSONValue) {
        if message["method"] == .string(Method.progress) {
            return ("ProgressNotification", message)
        }
        if message["error"] != nil {
            let newer = document["$defs"]?["JSONRPCErrorResponse"] != nil
            return (newer ? "JSONRPCErrorResponse" : "JSONRPCError", message)
        }
        let names = [
            Method.discover: "DiscoverResult", Method.initialize: "InitializeResult",
            Method.listTools: "ListToolsResult", Method.callTool: "CallToolResult",
            Method.ping: "EmptyResult",
        ]
        return (try #require(names[method]), try #require(message["result"]))
    }
}

@Suite("Messages and the protocol's schemas", .timeLimit(.minutes(1)))
struct MessageSchemaTests {
    @Test(
        "what the server sends is what the schema of the revision says",
        .enabled(if: MessageSchemas.arePresent, "MCP_SCHEMAS names no folder."),
        arguments: Transcript.all)
    func answers(transcript: Transcript) async throws {
        let version = try #require(transcript.name.split(separator: "/").first.map(String.init))
        let document = try MessageSchemas.document(version)
        let definitions = document["$defs"] == nil ? "definitions" : "$defs"
        let client = HTTPClient(identity: "os:tester")
        for exchange in transcript.exchanges {
            let answer = try await client.post(exchange.sent, exchange.headers)
            let method = exchange.message?["method"]?.stringValue ?? ""
            for message in answer.messages {
                // That revision's errors must have an id, and a batch has none that is its own.
                if version == "2025-06-18", message["id"] == nil, message["error"] != nil {
                    continue
                }
                let (name, value) = try MessageSchemas.definition(
                    of: message, answering: method, in: document)
                let schema = try Schema(compiling: document, at: "#/\(definitions)/\(name)")
                #expect(schema.validate(value, named: name) == [])
            }
        }
    }

    @Test(
        "a wrong answer would be noticed",
        .enabled(if: MessageSchemas.arePresent, "MCP_SCHEMAS names no folder."))
    func canFail() throws {
        let schema = try Schema(
            compiling: MessageSchemas.document("2026-07-28"), at: "#/$defs/ListToolsResult")
        #expect(!schema.validate(["tools": [], "resultType": "complete", "ttlMs": 1]).isEmpty)
    }
}
