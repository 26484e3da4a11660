import MCPProtocol
import OrderedJSON
import Testing

@Suite("Header value")
struct HeaderValueTests {
    @Test(
        "a text takes the form that the specification shows",
        arguments: [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", ""),
        ])
    func encoding(text: String, header: String) {
        #expect(HeaderValue.encode(text) == header)
        #expect(HeaderValue.decode(header) == text)
    }

    @Test(
        "a malformed value is refused",
        arguments: ["caf\u{e9}", "a\u{7}b", "=?base64?***?=", "=?base64?/w==?="])
    func malformed(header: String) {
        #expect(HeaderValue.decode(header) == nil)
    }
}

@Suite("Protocol version")
struct ProtocolVersionTests {
    @Test("eras part at 2026-07-28")
    func eras() {
        #expect(ProtocolVersion.modern == [.v2026_07_28])
        #expect(
            ProtocolVersion.legacy == [.v2025_11_25, .v2025_06_18, .v2025_03_26, .v2024_11_05])
        #expect(ProtocolVersion.v2025_11_25 < .v2026_07_28)
    }
}

@Suite("Tool definition")
struct ToolDefinitionTests {
    @Test("members without a property stay, in their place")
    func lossless() throws {
        let json: JSONValue = [
            "x-own": [1], "name": "a", "inputSchema": ["type": "object"],
            "annotations": ["readOnlyHint": true, "own": "x"], "execution": ["a": 1],
        ]
        var tool = try ToolDefinition(json: json)
        #expect(.object(tool.json) == json)
        #expect(tool.annotations.readOnly == true)
        #expect(tool.annotations.destructive == nil)
        tool.name = "b"
        tool.remove("execution")
        #expect(tool.json.keys == ["x-own", "name", "inputSchema", "annotations"])
    }

    @Test(
        "a malformed definition is refused",
        arguments: [
            [], ["name": 1, "inputSchema": [:]], ["name": "a"],
            ["name": "a", "inputSchema": [:], "description": 4],
            ["name": "a", "inputSchema": [:], "annotations": []],
        ] as [JSONValue])
    func malformed(json: JSONValue) {
        #expect(throws: MalformedMessage.self) { try ToolDefinition(json: json) }
    }

    @Test("a malformed tool does not take its page along")
    func page() throws {
        let page = try ListToolsResult(json: [
            "tools": [["name": "bad"], ["name": "good", "inputSchema": ["type": "object"]]],
            "nextCursor": "",
        ])
        #expect(page.tools.map(\.name) == ["good"])
        #expect(page.malformed.count == 1)
        #expect(page.nextCursor == "")
        #expect(page.caching == Caching(timeToLive: .zero, scope: .private))
    }
}

@Suite("Tool result")
struct CallToolResultTests {
    @Test("the result type is no part of it")
    func resultType() throws {
        let result = try CallToolResult(json: ["resultType": "complete", "own": 1])
        #expect(result.json == ["own": 1, "content": []])
    }

    @Test("structured null is not the same as none")
    func structuredNull() throws {
        #expect(try CallToolResult(json: ["structuredContent": nil]).structuredContent == .null)
        #expect(try CallToolResult(json: [:]).structuredContent == nil)
    }

    @Test("caching hints survive the wire, whatever their size")
    func caching() {
        var json: JSONObject = [:]
        Caching(timeToLive: .milliseconds(1500), scope: .shared).write(to: &json)
        #expect(json == ["ttlMs": 1500, "cacheScope": "public"])
        #expect(Caching(json: ["ttlMs": -3]).timeToLive == .zero)
        Caching(json: ["ttlMs": .number(JSONNumber(Int.max))]).write(to: &json)
        #expect(json["ttlMs"] == 315_360_000_000)
    }
}
