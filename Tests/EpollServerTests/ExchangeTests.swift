import EpollServer
import Testing

@Suite("HTTP exchanges", .timeLimit(.minutes(1)))
struct ExchangeTests {
    @Test("a request is answered, and the connection is used again")
    func keepAlive() async throws {
        try await withServer(handler: echo) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                for path in ["/one", "/two"] {
                    try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let response = try client.readResponse()
                    #expect(response.status == 200)
                    #expect(response.body == path)
                    #expect(response.headers["content-type"] == "text/plain")
                    #expect(response.headers["Date"]?.hasSuffix(" GMT") == true)
                    #expect(response.headers["Connection"] == nil)
                }
            }
        }
    }
}
