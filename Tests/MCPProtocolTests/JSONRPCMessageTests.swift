import MCPProtocol
import OrderedJSON
import Testing

@Suite("JSON-RPC message")
struct JSONRPCMessageTests {
    @Test(
        "what is read is written alike",
        arguments: [
            ["jsonrpc": "2.0", "id": 1, "method": "ping"],
            ["jsonrpc": "2.0", "id": "", "method": "tools/list", "params": ["cursor": ""]],
            ["jsonrpc": "2.0", "method": "notifications/initialized"],
            ["jsonrpc": "2.0", "id": -7, "result": ["b": 1, "a": 2]],
            ["jsonrpc": "2.0", "error": ["code": -32700, "message": "no", "data": [1]]],
            ["jsonrpc": "2.0", "id": "x", "error": ["code": 17, "message": "own"]],
        ] as [JSONValue])
    func roundTrip(json: JSONValue) throws {
        #expect(try JSONRPCMessage(json: json).json == json)
    }

    @Test(
        "a malformed message is refused with its id where that can be read",
        arguments: [
            ([], nil, -32600),
            (["id": 1, "method": "ping"], 1, -32600),
            (["jsonrpc": "1.0", "id": "a", "method": "ping"], "a", -32600),
            (["jsonrpc": "2.0", "id": nil, "method": "ping"], nil, -32600),
            (["jsonrpc": "2.0", "id": true, "method": "ping"], nil, -32600),
            (["jsonrpc": "2.0", "id": 3, "method": 4], 3, -32600),
            (["jsonrpc": "2.0", "id": 3, "method": "ping", "params": [1]], 3, -32602),
            (["jsonrpc": "2.0", "id": 3], 3, -32600),
            (["jsonrpc": "2.0", "result": [:]], nil, -32600),
            (["jsonrpc": "2.0", "id": 5, "error": "no"], nil, -32600),
        ] as [(JSONValue, RequestID?, Int)])
    func malformed(json: JSONValue, id: RequestID?, code: Int) {
        let error = #expect(throws: MalformedMessage.self) { try JSONRPCMessage(json: json) }
        #expect(error?.id == id)
        #expect(error?.rpcError.code == code)
    }

    @Test("an integer id that fits no 64 bits, or is written as a fraction, is refused")
    func oddIDs() {
        #expect(RequestID(.number(JSONNumber(UInt64.max))) == nil)
        #expect(RequestID(["1"]) == nil)
    }
}

@Suite("RPC error")
struct RPCErrorTests {
    @Test(
        "a code and its kind are one",
        arguments: [-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022, -32002, 12])
    func codes(code: Int) {
        #expect(RPCError.Kind(code: code).code == code)
        #expect((RPCError.Kind(code: code) == .other(code)) == (code == 12))
    }

    @Test("an unsupported version names what is spoken and what was asked for")
    func unsupportedVersion() {
        let error = RPCError.unsupportedProtocolVersion(
            requested: "1900-01-01", supported: ProtocolVersion.modern)
        #expect(
            error.json["data"] == ["supported": ["2026-07-28"], "requested": "1900-01-01"])
        #expect(error.code == -32022)
    }

    @Test("a stranger's text is cut before it stands in an error")
    func longNames() {
        let error = RPCError.unknownTool(String(repeating: "x", count: 5000))
        #expect(error.message.count < 250)
    }
}
