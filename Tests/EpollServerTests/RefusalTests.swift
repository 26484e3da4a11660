import DurableTesting
import EpollServer
import Foundation
import LinuxPlatform
import Testing

@Suite("HTTP refusals", .timeLimit(.minutes(1)))
struct RefusalTests {
    @Test("each ambiguous request gets an error that says why, and the connection ends")
    func framing() async throws {
        let handled = Counter()
        let handler: HTTPServer.Handler = { request in
            handled.increment()
            return await echo(request)
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                for refusal in FramingRefusals.all {
                    let client = try TestClient(port: port)
                    // What follows a refused request must not be taken for another.
                    try client.send(refusal.text + "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n")
                    let response = try client.readResponse()
                    #expect(response.status == refusal.status, "\(refusal.reason)")
                    #expect(response.headers["Connection"] == "close")
                    #expect(response.headers["Content-Type"] == "application/json")
                    #expect(response.body.hasPrefix("{\"error\":\""))
                    if let limit = refusal.limit {
                        #expect(response.body.contains("\"limit\":\"\(limit)\""))
                    }
                    #expect(try client.readToEnd() == "")
                }
            }
        }
        #expect(handled.value == 0)
    }

    @Test("a body over the limit is refused with words that arrive, though all of it was sent")
    func oversize() async throws {
        try await withServer(handler: echo) { port, _ in
            try await onThread {
                let five = [UInt8](repeating: 0x20, count: 5 * 1024 * 1024)
                let length = try TestClient(port: port)
                try length.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5242880\r\n\r\n")
                try length.send(five)
                let chunks = try TestClient(port: port)
                try chunks.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
                for _ in 0..<5 {
                    try chunks.send("100000\r\n")
                    try chunks.send(Array(five[..<(1024 * 1024)]))
                    try chunks.send("\r\n")
                }
                for client in [length, chunks] {
                    let response = try client.readResponse()
                    #expect(response.status == 413)
                    #expect(response.body.contains("4194304"))
                    #expect(response.body.contains("\"limit\":\"bodyBytes\""))
                    #expect(try client.readToEnd() == "")
                }
            }
        }
    }

    @Test("one connection too many is told so, and a place that is free again is given away")
    func connections() async throws {
        var limits = HTTPLimits()
        limits.connections = 2
        try await withServer(limits: limits, loops: 2, handler: echo) { port, _ in
            try await onThread {
                func exchange(_ client: TestClient) throws -> TestResponse {
                    try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    return try client.readResponse()
                }
                let first = try TestClient(port: port)
                let second = try TestClient(port: port)
                #expect(try exchange(first).status == 200)
                #expect(try exchange(second).status == 200)
                let third = try TestClient(port: port)
                let refusal = try third.readResponse()
                #expect(refusal.status == 503)
                #expect(refusal.headers["Retry-After"] == "1")
                #expect(refusal.body.contains("\"limit\":\"connections\""))
                second.endOutput()
                #expect(try second.readToEnd() == "")
                third.abort()
                // The server learns of both in its own time.
                while true {
                    let client = try TestClient(port: port)
                    // Who is turned away is not read first, so even the refusal may be lost.
                    if (try? exchange(client))?.status == 200 { break }
                }
            }
        }
    }

    @Test("without descriptors a client is turned away with a reason, and later ones come in")
    func descriptors() async throws {
        // In a process of its own: the limit would hit every other test.
        await #expect(processExitsWith: .success) {
            try await withServer(handler: echo) { port, _ in
                try await onThread {
                    let watcher = try TestClient(port: port)
                    func exchange(_ client: TestClient) throws -> Int {
                        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                        return try client.readResponse().status
                    }
                    #expect(try exchange(watcher) == 200)
                    // Tests that run beside this one may have left it some of theirs.
                    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                    try DescriptorLimit.set(open.count + 90)
                    var refusals = 0
                    // Client and server take turns, so it is either's turn to find none left.
                    for fillers in 0..<2 {
                        let filler = try (0..<fillers).map { _ in try WakeUp() }
                        var clients: [TestClient] = []
                        // Once the client itself finds no descriptor, the round is over.
                        while let client = try? TestClient(port: port) {
                            guard try exchange(watcher) == 200 else { break }
                            clients.append(client)
                            guard try client.hasInput() else { continue }
                            let response = try client.readResponse()
                            #expect(response.status == 503)
                            #expect(response.body.contains("descriptors"))
                            refusals += 1
                            break
                        }
                        #expect(clients.count > 20)
                        withExtendedLifetime((filler, clients)) {}
                    }
                    #expect(refusals > 0)
                    while true {
                        // The server learns in its own time that its clients have gone.
                        let client = try TestClient(port: port)
                        guard try exchange(watcher) == 200, try !client.hasInput() else { continue }
                        #expect(try exchange(client) == 200)
                        return
                    }
                }
            }
        }
    }

    @Test("random bytes on real connections leave the server working")
    func fuzz() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await withServer(handler: echo) { port, _ in
            try await onThread {
                var random = SeededGenerator(seed: seed)
                for _ in 0..<300 {
                    let client = try TestClient(port: port)
                    var bytes = Array(
                        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc".utf8)
                    for _ in 0..<Int.random(in: 1...6, using: &random) {
                        let place = Int.random(in: 0..<bytes.count, using: &random)
                        switch Int.random(in: 0..<3, using: &random) {
                        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                        default: bytes.remove(at: place)
                        }
                    }
                    do {
                        try client.send(bytes)
                        client.endOutput()
                        let answer = try client.readToEnd()
                        #expect(
                            answer.isEmpty || answer.hasPrefix("HTTP/1.1 "),
                            "seed \(seed), bytes \(bytes)")
                    } catch is TestClientError {
                        // The server may have had enough before all was sent.
                    }
                }
                let client = try TestClient(port: port)
                try client.send("GET /alive HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.readResponse().body == "/alive", "seed \(seed)")
            }
        }
    }
}
