import EpollServer
import MCPProtocol
import OrderedJSON
import Testing

@testable import MCPServer

@Suite("Streamable HTTP", .timeLimit(.minutes(1)))
struct StreamableHTTPTests {
    static let echo = modern(1, "tools/call", ["name": "echo", "arguments": ["a": 1]]).serialized()
    static let echoHeaders = HTTPClient.headers("tools/call", name: "echo")

    /// Headers changed in one place, and the code that the error then has; nil for success.
    static let headerCases: [(name: String, value: String?, code: Int?)] = [
        ("X-Unrelated", "1", nil),
        ("mcp-name", "echo", nil),
        ("Mcp-Name", "=?base64?ZWNobw==?=", nil),
        ("Mcp-Session-Id", "whatever", nil),
        ("Last-Event-ID", "7", nil),
        ("MCP-Protocol-Version", nil, -32020),
        ("MCP-Protocol-Version", "2025-11-25", -32020),
        ("MCP-Protocol-Version", "1900-01-01", -32020),
        ("MCP-Protocol-Version", "", -32020),
        ("Mcp-Method", nil, -32020),
        ("Mcp-Method", "tools/list", -32020),
        ("Mcp-Method", "TOOLS/CALL", -32020),
        ("Mcp-Name", nil, -32020),
        ("Mcp-Name", "other", -32020),
        ("Mcp-Name", "Echo", -32020),
        ("Mcp-Name", "=?base64?b3RoZXI=?=", -32020),
        ("Mcp-Name", "=?base64?!!!?=", -32020),
        ("Mcp-Name", "ech\u{f6}", -32020),
    ]

    @Test("headers must say what the body says", arguments: headerCases)
    func headerValidation(name: String, value: String?, code: Int?) async throws {
        var headers = Self.echoHeaders
        headers[name] = value
        let answer = try await HTTPClient().post(Self.echo, headers)
        #expect(answer.status == (code == nil ? 200 : 400))
        #expect(answer.messages.first?["error"]?["code"]?.intValue == code)
        #expect(answer.messages.first?["id"] == 1)
    }

    @Test(
        "a header that counts may be there only once",
        arguments: ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"])
    func duplicateHeaders(name: String) async throws {
        var headers = Self.echoHeaders
        headers.append(name.lowercased(), headers[name] ?? "")
        let answer = try await HTTPClient().post(Self.echo, headers)
        #expect(answer.status == 400)
        #expect(answer.messages.first?["error"]?["code"] == -32020)
    }

    @Test("a name outside ASCII travels in its Base64 form")
    func encodedName() async throws {
        let answer = try await HTTPClient().post(
            modern(1, "tools/call", ["name": "größe"]).serialized(),
            HTTPClient.headers("tools/call", name: HeaderValue.encode("größe")))
        #expect(answer.status == 200)
        #expect(answer.messages.first?["error"]?["message"] == "Unknown tool: größe")
    }

    @Test(
        "an unknown version is named with those that are served, before other headers count",
        arguments: [true, false])
    func unknownVersion(withMethod: Bool) async throws {
        var headers = HTTPClient.headers("tools/list")
        headers["MCP-Protocol-Version"] = "2099-01-01"
        if !withMethod { headers["Mcp-Method"] = nil }
        let body = modern(
            1, "tools/list"
        ).text.replacing("2026-07-28", with: "2099-01-01")
        let answer = try await HTTPClient().post(Array(body.utf8), headers)
        #expect(answer.status == 400)
        #expect(answer.messages.first?["error"]?["code"] == -32022)
        #expect(
            answer.messages.first?["error"]?["data"]
                == ["supported": ["2026-07-28"], "requested": "2099-01-01"])
    }

    @Test(
        "a method other than POST is refused with the one that is served",
        arguments: ["GET", "DELETE", "PUT", "HEAD", "OPTIONS", "post"])
    func methods(method: String) async throws {
        let answer = try await HTTPClient().send(HTTPRequest(method: method, target: "/mcp"))
        #expect(answer.status == 405)
        #expect(answer.headers["Allow"] == "POST")
    }

    @Test("another path is not found", arguments: ["/", "/mcp/", "/mcp/x", "/MCP", "*"])
    func paths(path: String) async throws {
        let answer = try await HTTPClient().send(HTTPRequest(method: "POST", target: path))
        #expect(answer.status == 404)
    }

    @Test("a query does not change the path")
    func query() async throws {
        let answer = try await HTTPClient().send(
            HTTPRequest(
                method: "POST", target: "/mcp?a=1", headers: Self.echoHeaders, body: Self.echo))
        #expect(answer.status == 200)
    }

    /// Values of `Host` and `Origin`, and the value that is refused; nil where none is.
    static let originCases: [(host: String, origin: String?, refused: String?)] = [
        ("localhost:8765", nil, nil), ("LOCALHOST", nil, nil), ("127.0.0.1:1", nil, nil),
        ("[::1]:8765", nil, nil), ("mcp.example.com", nil, nil), ("mcp.example.com:99", nil, nil),
        ("only.example.com:8443", nil, nil),
        ("localhost", "http://localhost:6274", nil), ("localhost", "https://127.0.0.1", nil),
        ("localhost", "https://app.example.com", nil),
        ("evil.example", nil, "evil.example"), ("localhost.evil.example:80", nil, "localhost.evil"),
        ("only.example.com:8444", nil, "only.example.com:8444"), ("", nil, "''"),
        ("127.0.0.1.nip.io", nil, "127.0.0.1.nip.io"), ("[::1]x", nil, "[::1]x"),
        ("localhost", "https://evil.example", "https://evil.example"),
        ("localhost", "null", "null"), ("localhost", "", "''"),
        ("localhost", "http://localhost.evil.example", "localhost.evil.example"),
        ("localhost", "http://user@localhost", "user@localhost"),
        ("localhost", "file://localhost", "file://localhost"),
        ("localhost", "https://app.example.com:444", "https://app.example.com:444"),
    ]

    @Test(
        "only allowed hosts and origins come in, and the refused value is named",
        arguments: originCases)
    func origins(host: String, origin: String?, refused: String?) async throws {
        var configuration = StreamableHTTPBinding<DemoHandler>.Configuration()
        configuration.origins = OriginPolicy(
            hosts: ["mcp.example.com", "only.example.com:8443"],
            origins: ["https://app.example.com"])
        var headers = Self.echoHeaders
        headers["Origin"] = origin
        let answer = try await HTTPClient(configuration: configuration).send(
            HTTPRequest(
                method: "POST", target: "/mcp", authority: host, headers: headers, body: Self.echo))
        #expect(answer.status == (refused == nil ? 200 : 403))
        #expect(answer.text.contains(refused ?? "\"a\":1"))
        if refused != nil { #expect(answer.messages.first?["id"] == nil) }
    }

    @Test("who calls is found out before the body counts")
    func authentication() async throws {
        let client = HTTPClient()
        var headers = Self.echoHeaders
        headers["Authorization"] = "Bearer bad"
        let unknown = try await client.post(Array("nonsense".utf8), headers)
        #expect(unknown.status == 401)
        #expect(unknown.headers["WWW-Authenticate"] == "Bearer")
        headers["Authorization"] = "Bearer banned"
        #expect(try await client.post(Array("nonsense".utf8), headers).status == 403)
        headers["Authorization"] = "Bearer good"
        headers["Mcp-Name"] = "whoami"
        let known = try await client.post(
            modern(1, "tools/call", ["name": "whoami"]).serialized(), headers)
        #expect(known.text.contains("token:good"))
    }

    @Test(
        "a body that is not JSON by its own word is refused",
        arguments: [
            nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonp",
            "application/json; charset=utf-16",
        ])
    func contentTypes(type: String?) async throws {
        var headers = Self.echoHeaders
        headers["Content-Type"] = type
        #expect(try await HTTPClient().post(Self.echo, headers).status == 415)
        headers["Content-Type"] = "Application/JSON; charset=UTF-8"
        headers["Content-Encoding"] = "gzip"
        #expect(try await HTTPClient().post(Self.echo, headers).status == 415)
        headers["Content-Encoding"] = nil
        #expect(try await HTTPClient().post(Self.echo, headers).status == 200)
    }

    @Test("a client that reads no JSON gets a stream, and one that reads neither nothing")
    func accept() async throws {
        let client = HTTPClient()
        var headers = Self.echoHeaders
        headers["Accept"] = "text/event-stream"
        let stream = try await client.post(Self.echo, headers)
        #expect(stream.text.hasPrefix("event: message\ndata: {"))
        #expect(stream.messages.first?["result"]?["structuredContent"] == ["a": 1])
        headers["Accept"] = "text/html, application/json;q=0"
        #expect(try await client.post(Self.echo, headers).status == 406)
        for value in [nil, "*/*", "application/json"] {
            headers["Accept"] = value
            #expect(
                try await client.post(Self.echo, headers).headers["Content-Type"]
                    == "application/json")
        }
    }

    @Test("a message that is too large is refused")
    func largeBody() async throws {
        let body = [UInt8](repeating: UInt8(ascii: " "), count: 5 << 20)
        #expect(try await HTTPClient().post(body, Self.echoHeaders).status == 413)
    }

    @Test(
        "what is no message is a bad request", arguments: HostileInputTests.lines)
    func badBodies(line: String, code: Int, id: JSONValue?) async throws {
        // Without headers of the modern era `tools/list` and `ping` are legacy and good.
        if id != nil { return }
        let answer = try await HTTPClient().post(Array(line.utf8), Self.echoHeaders)
        #expect(answer.status == 400)
        #expect(answer.messages.first?["error"]?["code"]?.intValue == code)
        #expect(answer.messages.first?["id"] == nil)
    }

    @Test("a notification is accepted without a body, an answer is not")
    func notifications() async throws {
        let client = HTTPClient()
        var headers = HTTPClient.headers("notifications/initialized")
        let notification = JSONValue(
            dictionaryLiteral: ("jsonrpc", "2.0"), ("method", "notifications/initialized")
        ).serialized()
        for version in ["2026-07-28", "2025-11-25", nil] {
            headers["MCP-Protocol-Version"] = version
            let answer = try await client.post(notification, headers)
            #expect(answer.status == 202)
            #expect(answer.text.isEmpty)
        }
        headers["MCP-Protocol-Version"] = "1900-01-01"
        #expect(try await client.post(notification, headers).status == 400)
        let stray: JSONValue = ["jsonrpc": "2.0", "id": 1, "result": [:]]
        #expect(try await client.post(stray.serialized(), Self.echoHeaders).status == 400)
    }

    /// Headers and `_meta` entries of a request id, and what the handler gets, or a code.
    static let keyCases: [(header: String?, meta: String?, result: String)] = [
        ("k1", nil, "\"requestId\":\"k1\""), (nil, "k2", "\"requestId\":\"k2\""),
        ("same", "same", "\"requestId\":\"same\""),
        ("\"quoted\"", "quoted", "\"requestId\":\"quoted\""),
        ("=?base64?w7Y=?=", "ö", "\"requestId\":\"ö\""),
        ("one", "other", "-32602"), ("", nil, "-32602"),
        (String(repeating: "k", count: 257), nil, "-32602"), ("\u{f6}", nil, "-32602"),
    ]

    @Test("a request id comes from header or body, and both must agree", arguments: keyCases)
    func idempotencyKey(header: String?, meta: String?, result: String) async throws {
        var headers = HTTPClient.headers("tools/call", name: "whoami")
        headers["Idempotency-Key"] = header
        var more: JSONObject = [:]
        more[MetaKey.requestID] = meta.map(JSONValue.string)
        let answer = try await HTTPClient().post(
            modern(1, "tools/call", ["name": "whoami"], meta: more).serialized(), headers)
        #expect(answer.status == (result == "-32602" ? 400 : 200))
        let text = answer.messages.first?["result"]?["content"]?.arrayValue?.first?["text"]
        let seen = text?.stringValue ?? answer.text
        #expect(seen.contains(result))
    }

    @Test(
        "a legacy client is served by its header, and leniently without one",
        arguments: [
            ("2025-11-25", 200, "2025-11-25"), ("2025-06-18", 200, "2025-06-18"),
            (nil, 200, "2025-06-18"), ("2025-03-26", 400, ""), ("1900-01-01", 400, ""),
            ("nonsense", 400, ""),
        ] as [(String?, Int, String)])
    func legacyHeader(version: String?, status: Int, served: String) async throws {
        var headers: HTTPHeaders = [
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
        ]
        headers["MCP-Protocol-Version"] = version
        let answer = try await HTTPClient().post(
            legacy(1, "tools/call", ["name": "whoami"]).serialized(), headers)
        #expect(answer.status == status)
        #expect(answer.text.contains(served))
        #expect(answer.messages.first?["result"]?["resultType"] == nil)
    }
}

@Suite("Calls over HTTP that take long", .timeLimit(.minutes(1)))
struct StreamedCallTests {
    private func waiting(_ meta: JSONObject = [:]) -> HTTPRequest {
        HTTPRequest(
            method: "POST", target: "/mcp",
            headers: HTTPClient.headers("tools/call", name: "wait"),
            body: modern("w", "tools/call", ["name": "wait"], meta: meta).serialized())
    }

    @Test("a quiet call turns into a stream of comments, and the answer ends it")
    func keepAlive() async throws {
        let handler = DemoHandler()
        let clock = ManualClock()
        let client = HTTPClient(handler, clock: clock)
        async let answer = client.send(waiting())
        for _ in 1...2 {
            await clock.sleeps.stream.next()
            clock.advance(by: .seconds(10))
        }
        // The third sleep begins when the second comment is on its way.
        await clock.sleeps.stream.next()
        handler.gate.continuation.yield()
        let text = try await answer.text
        #expect(text.hasPrefix(": still working\n\n: still working\n\nevent: message\ndata: {"))
        #expect(try await answer.messages.count == 1)
    }

    @Test("a client that asked for progress gets that instead")
    func progress() async throws {
        let handler = DemoHandler()
        let clock = ManualClock()
        let client = HTTPClient(handler, clock: clock)
        async let answer = client.send(waiting(["progressToken": "t"]))
        await clock.sleeps.stream.next()
        clock.advance(by: .seconds(10))
        await clock.sleeps.stream.next()
        handler.gate.continuation.yield()
        let messages = try await answer.messages
        #expect(messages.map { $0["method"] } == ["notifications/progress", nil])
        #expect(messages.last?["id"] == "w")
    }

    @Test("a client that goes away cancels its call, streaming or not", arguments: [true, false])
    func disconnect(streaming: Bool) async throws {
        let handler = DemoHandler()
        let clock = ManualClock()
        let client = HTTPClient(handler, clock: clock)
        let request = waiting()
        let exchange = Task { try await client.send(request) }
        #expect(await handler.events.stream.next() == "started")
        if streaming {
            await clock.sleeps.stream.next()
            clock.advance(by: .seconds(10))
            await clock.sleeps.stream.next()
        }
        exchange.cancel()
        #expect(await handler.events.stream.next() == "cancelled")
        let answer = await exchange.result
        if case .success(let answer) = answer { #expect(answer.messages.first?["result"] == nil) }
    }

    @Test("a client that takes no stream waits for the answer alone")
    func withoutStream() async throws {
        let handler = DemoHandler()
        let client = HTTPClient(handler)
        var request = waiting(["progressToken": "t"])
        request.headers["Accept"] = "application/json"
        let sent = request
        async let answer = client.send(sent)
        #expect(await handler.events.stream.next() == "started")
        handler.gate.continuation.yield()
        #expect(try await answer.messages.count == 1)
        #expect(try await answer.headers["Content-Type"] == "application/json")
    }
}
