import Foundation
import LinuxPlatform
import Synchronization

/// A program that a test has started, with all that it wrote so far.
final class RunningProgram: Sendable {
    /// How a program ended.
    struct Ending: Equatable, Sendable {
        /// The exit code, or the number of the signal.
        var code: Int32
        var isSignal: Bool

        static let killed = Ending(code: SIGKILL, isSignal: true)
    }

    private struct State {
        var lines: [String] = []
        var rest: [UInt8] = []
        var complaints: [UInt8] = []
        var openStreams = 2
        var ending: Ending?

        mutating func take(_ bytes: [UInt8]) {
            rest += bytes
            while let end = rest.firstIndex(of: 10) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
    }

    private let process = Process()
    private let input: FileHandle
    private let state = Mutex(State())
    private let writing = Mutex(())

    /// Writing to a program that has ended is an error, not the end of the tests.
    private static let ignoresBrokenPipes: Void = { _ = signal(SIGPIPE, SIG_IGN) }()

    /// Starts a program, with nothing in its environment but what is given.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        folder: String? = nil
    ) throws {
        _ = Self.ignoresBrokenPipes
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        input = stdin.fileHandleForWriting
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = environment
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        process.terminationHandler = { [weak self] process in
            let ending = Ending(
                code: process.terminationStatus,
                isSignal: process.terminationReason == .uncaughtSignal)
            self?.state.withLock { $0.ending = ending }
        }
        try process.run()
        try read(stdout.fileHandleForReading) { state, bytes in state.take(bytes) }
        try read(stderr.fileHandleForReading) { state, bytes in state.complaints += bytes }
    }

    deinit { if ending == nil { Foundation.kill(identifier, SIGKILL) } }

    var identifier: Int32 { process.processIdentifier }

    /// How it ended; nil while it runs.
    var ending: Ending? { state.withLock { $0.openStreams == 0 ? $0.ending : nil } }

    var isRunning: Bool { ending == nil }

    /// The whole lines on its standard output.
    var lines: [String] { state.withLock(\.lines) }

    /// All of its standard error.
    var complaints: String {
        state.withLock { String(decoding: $0.complaints, as: UTF8.self) }
    }

    /// Writes to its standard input.
    func write(_ bytes: [UInt8]) throws {
        try writing.withLock { _ in
            try CurrentProcess.writeAll(bytes, to: input.fileDescriptor)
        }
    }

    func writeLine(_ text: String) throws { try write(Array(text.utf8) + [10]) }

    func closeInput() throws { try input.close() }

    /// Kills it with SIGKILL, and returns once it has ended.
    func kill() async throws {
        if state.withLock({ $0.ending == nil }) { Foundation.kill(identifier, SIGKILL) }
        try await awaitProcessEnd()
    }

    /// Waits until it has ended, and all it wrote is read.
    @discardableResult
    func awaitEnd(within limit: Duration = .seconds(30)) async throws -> Ending {
        try await awaited("the end of \(self)", within: limit) { ending }
    }

    /// Waits until it has ended, though a child of it may still hold its streams.
    private func awaitProcessEnd() async throws {
        try await eventually("the end of \(self)") { state.withLock { $0.ending != nil } }
    }

    private func read(
        _ handle: FileHandle, _ take: @escaping @Sendable (inout State, [UInt8]) -> Void
    ) throws {
        try SystemThread.start(named: "e2e-reader") { [weak self] in
            while true {
                let data = handle.availableData
                guard let self else { return }
                self.state.withLock { state in
                    if data.isEmpty { state.openStreams -= 1 } else { take(&state, Array(data)) }
                }
                if data.isEmpty { return }
            }
        }
    }
}

extension RunningProgram: CustomStringConvertible {
    var description: String {
        let words = [process.executableURL?.lastPathComponent ?? ""] + (process.arguments ?? [])
        return "'\(words.joined(separator: " "))' (stderr: \(complaints.suffix(2000)))"
    }
}
