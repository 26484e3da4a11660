import Foundation
import Testing

/// What the README promises, run as a reader would.
@Suite("README", .timeLimit(.minutes(2)))
struct ReadmeTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func readme() throws -> String {
        try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    }

    /// The contents of the fenced blocks in one language.
    private static func blocks(_ language: String) throws -> [String] {
        let parts = try readme().components(separatedBy: "```")
        return stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
            .filter { $0.hasPrefix(language + "\n") }
            .map { String($0.dropFirst(language.count + 1)) }
    }

    /// The commands of the shell blocks, without their comments.
    static func commands(_ program: String) -> [String] {
        // A README that cannot be read has no commands, which the first test notices.
        let lines = (try? blocks("sh"))?.joined().split(separator: "\n") ?? []
        return lines.map { line in
            String(line.prefix { $0 != "#" }).trimmingCharacters(in: .whitespaces)
        }.filter { $0.hasPrefix(program + " ") }
    }

    @Test("the demo prints what the README shows, ids aside")
    func demo() throws {
        let shown = try #require(try Self.blocks("text").first)
        let sandbox = try Sandbox()
        let demo = try sandbox.run(["durable-mcp", "demo"])
        #expect(demo.status == 0, "\(demo.errors)")
        #expect(Self.masked(demo.output) == Self.masked(shown))
    }

    private static func masked(_ text: String) -> String {
        text.replacing(/(run|apr)_[a-z2-7]{26}/) { "\($0.output.1)_ID" }
            .replacing(/v1:\d+:\d+:[0-9a-f]+/, with: "TIP")
    }

    @Test("the README shows commands of both kinds, in fewer than 150 lines")
    func shape() throws {
        #expect(Self.commands("durable-mcp").count >= 8)
        #expect(Self.commands("make") == ["make run", "make test"])
        #expect(
            try Self.readme().split(separator: "\n", omittingEmptySubsequences: false).count < 150)
    }

    @Test("a command of the README works as it stands", arguments: commands("durable-mcp"))
    func command(line: String) throws {
        let sandbox = try Sandbox()
        try sandbox.write("server.jsonc", #"{"mcpServers": {}}"#)
        // Read commands want a store that exists.
        let served = try sandbox.run(["durable-mcp", "serve", "--stdio"])
        #expect(served.status == 0, "\(served.errors)")
        // A port that is free, for a server that then runs until it is ended.
        let words = line.replacing("127.0.0.1:8765", with: "127.0.0.1:0").split(separator: " ")
        let isServer = words.contains("--http")
        let end = try sandbox.run(words.map(String.init), endsItself: !isServer)
        #expect(end.status == 0, "\(line): \(end.errors)")
    }

    @Test("a target of make in the README exists", arguments: commands("make"))
    func target(line: String) throws {
        let end = try Sandbox().run(
            ["make", "--dry-run", "--directory", Self.root.path]
                + line.split(separator: " ").dropFirst().map(String.init))
        #expect(end.status == 0, "\(end.errors)")
    }
}

/// A home of its own, with the built programs in `PATH`.
final class Sandbox {
    struct End {
        var status: Int32
        var output: String
        var errors: String
    }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "readme-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        // What stays behind lies in the folder for temporary files.
        try? FileManager.default.removeItem(at: folder)
    }

    func write(_ name: String, _ text: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
    }

    /// Runs a command to its end, or, where it does not end itself, until it says that it serves.
    func run(_ words: [String], endsItself: Bool = true) throws -> End {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.currentDirectoryURL = folder
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let programs = URL(filePath: own).deletingLastPathComponent().path
        process.environment = [
            "PATH": programs + ":"
                + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"),
            "HOME": folder.path, "TMPDIR": FileManager.default.temporaryDirectory.path,
        ]
        let (output, errors) = (Pipe(), folder.appending(path: "errors"))
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        var bytes = Data()
        if endsItself {
            bytes = output.fileHandleForReading.readDataToEndOfFile()
        } else {
            while !String(decoding: bytes, as: UTF8.self).contains("/mcp") {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                bytes += more
            }
            process.terminate()
        }
        process.waitUntilExit()
        return End(
            status: process.terminationStatus, output: String(decoding: bytes, as: UTF8.self),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
