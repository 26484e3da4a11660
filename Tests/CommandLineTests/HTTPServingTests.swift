import Foundation
import FoundationNetworking
import OrderedJSON
import Testing

@Suite("Serving over HTTP", .timeLimit(.minutes(2)))
struct HTTPServingTests {
    /// What a server says to paste into a client.
    private func pasted(_ server: RunningServer) async throws -> JSONValue {
        let text = try await server.text { $0 == "}" }
        let config = try JSONValue(parsing: text)
        return try #require(config["mcpServers"]?["durable"], "\(text)")
    }

    /// The status of a request to list the tools, and the answer.
    private func list(_ url: JSONValue?, authorization: String?) async throws -> (Int, String) {
        let url = try #require(url?.stringValue.flatMap(URL.init(string:)))
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = Data("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}".utf8)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(
            "application/json, text/event-stream", forHTTPHeaderField: "Accept")
        request.setValue("2025-06-18", forHTTPHeaderField: "MCP-Protocol-Version")
        if let authorization {
            request.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        return (
            (response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self)
        )
    }

    @Test("the first server makes a token, and what it says to paste lets a client in")
    func token() async throws {
        let place = try Place()
        let server = try RunningServer(["--http", "127.0.0.1:0"], in: place)
        let client = try await pasted(server)
        #expect(client["type"] == "http")
        let authorization = try #require(client["headers"]?["Authorization"]?.stringValue)
        let (status, answer) = try await list(client["url"], authorization: authorization)
        #expect(status == 200 && answer.contains("start_run"), "\(answer)")

        for wrong in [nil, "Bearer dmt_wrong", "Basic x", authorization + "x"] {
            let (status, answer) = try await list(client["url"], authorization: wrong)
            #expect(status == 401)
            #expect(answer.contains("durable-mcp token create") || answer.contains("Bearer TOKEN"))
        }

        let tokens = try await place.run("token list --json").json()
        let id = try #require(tokens["tokens"]?.arrayValue?.first?["tokenId"]?.stringValue)
        #expect(try await place.run("token revoke \(id)").code == 0)
        #expect(try await list(client["url"], authorization: authorization).0 == 401)
        server.signal(SIGTERM)
        #expect(try await server.end() == 0)
    }

    @Test("a later server shows no token, and says where one comes from")
    func secondStart() async throws {
        let place = try Place()
        let token = try await place.run("token create").output.split(separator: "\n")[0]
        let server = try RunningServer(["--http", "localhost:0"], in: place)
        let client = try await pasted(server)
        #expect(client["headers"]?["Authorization"] == "Bearer ${DURABLE_MCP_TOKEN}")
        #expect(try await list(client["url"], authorization: "bearer \(token)").0 == 200)
        _ = try await server.errors.first { $0.contains("durable-mcp token create") }
    }

    @Test("--no-auth lets everyone on the machine in, and says so loudly")
    func open() async throws {
        let place = try Place()
        let server = try RunningServer(["--http", "127.0.0.1:0", "--no-auth"], in: place)
        let client = try await pasted(server)
        #expect(client["headers"] == nil)
        #expect(try await list(client["url"], authorization: nil).0 == 200)
        let warning = try await server.errors.first { $0.contains("WARNING") }
        #expect(warning?.contains("Every user") == true)
    }

    @Test("an address in use is an error that names it")
    func inUse() async throws {
        let place = try Place()
        let server = try RunningServer(["--http", "127.0.0.1:0", "--no-auth"], in: place)
        let url = try #require(try await pasted(server)["url"]?.stringValue)
        let address = String(url.dropFirst("http://".count).dropLast("/mcp".count))
        let other = try await place.run("serve --http \(address) --no-auth")
        #expect(other.code == 1)
        #expect(other.errors.contains(address))
    }
}
