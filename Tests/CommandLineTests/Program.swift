import Foundation
import OrderedJSON
import Synchronization
import Testing

/// How a program ended, and what it wrote.
struct ProgramOutcome: Sendable {
    /// The exit code, or the negative number of the signal that ended it.
    var code: Int32
    var output: String
    var errors: String

    /// What it wrote, as JSON.
    func json(sourceLocation: SourceLocation = #_sourceLocation) throws -> JSONValue {
        try #require(
            try? JSONValue(parsing: output),  // Not JSON: the output itself says why.
            "\(output)\(errors)", sourceLocation: sourceLocation)
    }
}

/// A folder of its own for one test, with a home, a config, a ledger and a store.
final class Place: Sendable {
    static let executables: String = {
        // Without it no executable is found, and each test says so.
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own ?? "").deletingLastPathComponent().path
    }()

    let folder = "/tmp/durable-mcp-test-\(UUID().uuidString)"
    var store: String { folder + "/data/durable-mcp/store.sqlite" }
    var ledger: String { folder + "/ledger" }
    var config: String { folder + "/config.json" }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
    }

    deinit {
        // What is left in /tmp harms nobody.
        try? FileManager.default.removeItem(atPath: folder)
    }

    var environment: [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder + "/home",
            "XDG_DATA_HOME": folder + "/data", "XDG_CONFIG_HOME": folder + "/settings",
        ]
    }

    /// Writes a config with one fixture, called `fix`.
    func writeConfig(durable: String = "{\"trustAnnotations\": true}", rest: String = "") throws {
        try write(
            """
            {"mcpServers": {"fix": {"command": "\(Self.executables)/mcp-fixture",
              "args": ["--ledger", "\(ledger)"], "durable": \(durable)}\(rest)}}
            """, to: config)
    }

    func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// How often a tool has acted.
    func acts(_ tool: String) throws -> [JSONValue] { try entries("done", of: tool) }

    /// The entries of one kind about one tool in the ledger.
    func entries(_ event: String, of tool: String) throws -> [JSONValue] {
        // A tool that was never called leaves no ledger.
        guard let text = try? String(contentsOfFile: ledger, encoding: .utf8) else { return [] }
        return try text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
            .filter { $0["event"]?.stringValue == event && $0["tool"]?.stringValue == tool }
    }

    /// Runs a command to its end.
    func run(_ arguments: [String], input: String? = nil) async throws -> ProgramOutcome {
        let process = process(arguments)
        let (output, errors) = ("\(folder)/out-\(UUID())", "\(folder)/err-\(UUID())")
        for path in [output, errors] { try write("", to: path) }
        process.standardOutput = FileHandle(forWritingAtPath: output)
        process.standardError = FileHandle(forWritingAtPath: errors)
        if let input {
            let pipe = Pipe()
            process.standardInput = pipe
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        }
        let code = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.code) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return ProgramOutcome(
            code: code, output: try String(contentsOfFile: output, encoding: .utf8),
            errors: try String(contentsOfFile: errors, encoding: .utf8))
    }

    func run(_ line: String) async throws -> ProgramOutcome {
        try await run(line.split(separator: " ").map(String.init))
    }

    fileprivate func process(_ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: Self.executables + "/durable-mcp")
        process.arguments = arguments
        process.environment = environment
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardInput = FileHandle.nullDevice
        return process
    }
}

extension Process {
    fileprivate var code: Int32 {
        terminationReason == .exit ? terminationStatus : -terminationStatus
    }
}

/// A server that runs while a test uses it.
final class RunningServer: Sendable {
    private let process: Process
    private let input: FileHandle
    private let output: Lines
    let errors: Lines
    private let ended: Lines
    private let lastID = Mutex(0)

    init(_ arguments: [String], in place: Place) throws {
        process = place.process(["serve"] + arguments)
        let (inPipe, outPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
        process.standardInput = inPipe
        process.standardOutput = outPipe
        process.standardError = errorPipe
        input = inPipe.fileHandleForWriting
        output = Lines(outPipe.fileHandleForReading)
        errors = Lines(errorPipe.fileHandleForReading)
        let ended = Lines()
        self.ended = ended
        process.terminationHandler = { ended.add(String($0.code)) }
        try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// Sends a signal.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Has the client go.
    func closeInput() throws { try input.close() }

    /// The exit code, or the negative number of the signal, once it has ended.
    func end() async throws -> Int32 {
        try #require(try await ended.first { _ in true }.flatMap { Int32($0) })
    }

    /// The first line of its output that fits.
    func line(where fits: @Sendable (String) -> Bool) async throws -> String {
        try #require(try await output.first(where: fits))
    }

    /// Everything that it has written to its standard output, once a line fits.
    func text(until fits: @Sendable (String) -> Bool) async throws -> String {
        _ = try await line(where: fits)
        return output.all.joined(separator: "\n")
    }

    /// Does what a client does first.
    func greet() async throws {
        _ = try await ask(
            "initialize",
            [
                "protocolVersion": "2025-06-18", "capabilities": [:],
                "clientInfo": ["name": "test", "version": "1"],
            ])
        try send(["jsonrpc": "2.0", "method": "notifications/initialized"])
    }

    /// Calls a tool and gives its result.
    func call(_ tool: String, _ arguments: JSONObject) async throws -> JSONValue {
        let answer = try await ask(
            "tools/call", ["name": .string(tool), "arguments": .object(arguments)])
        return try #require(answer["result"], "\(answer)")
    }

    /// Sends a request and gives its response.
    func ask(_ method: String, _ parameters: JSONObject) async throws -> JSONValue {
        let id = send(method, parameters)
        let line = try await output.first { line in
            // A line that is no JSON is no answer.
            (try? JSONValue(parsing: line))?["id"]?.intValue == id
        }
        return try JSONValue(parsing: try #require(line))
    }

    /// Sends a request and waits for nothing.
    @discardableResult
    func send(_ method: String, _ parameters: JSONObject) -> Int {
        let id = lastID.withLock { id in
            id += 1
            return id
        }
        // A server that has gone does not answer, which the test sees.
        try? send([
            "jsonrpc": "2.0", "id": .number(JSONNumber(id)), "method": .string(method),
            "params": .object(parameters),
        ])
        return id
    }

    private func send(_ message: JSONObject) throws {
        try input.write(contentsOf: JSONValue.object(message).serialized() + [10])
    }
}

/// Lines as they arrive, for whoever waits for one.
final class Lines: Sendable {
    private struct State {
        var lines: [String] = []
        var rest: [UInt8] = []
        var isAtEnd = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    init() {}

    init(_ handle: FileHandle) {
        handle.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            self?.take(data)
        }
    }

    var all: [String] { state.withLock { $0.lines } }

    func add(_ line: String) { take(Data((line + "\n").utf8)) }

    private func take(_ data: Data) {
        let waiting = state.withLock { state in
            if data.isEmpty { state.isAtEnd = true }
            state.rest += data
            while let end = state.rest.firstIndex(of: 10) {
                state.lines.append(String(decoding: state.rest[..<end], as: UTF8.self))
                state.rest.removeFirst(end + 1)
            }
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    /// The first line that fits, once there is one; nil where the end comes first.
    func first(where fits: @Sendable (String) -> Bool) async throws -> String? {
        while true {
            let (found, isAtEnd, count) = state.withLock {
                ($0.lines.first(where: fits), $0.isAtEnd, $0.lines.count)
            }
            if found != nil || isAtEnd { return found }
            await withCheckedContinuation { continuation in
                let isNew = state.withLock { state in
                    if state.isAtEnd || state.lines.count != count { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isNew { continuation.resume() }
            }
        }
    }
}
