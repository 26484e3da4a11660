import Foundation
import MCPClient
import MCPProtocol
import OrderedJSON
import Testing

/// The Python packages that `make test` installs; without them these tests are skipped.
enum PythonEnvironment {
    static let folder: String = {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return root.appending(path: ".build/venv").path
    }()

    static let isComplete = FileManager.default.fileExists(atPath: "\(folder)/complete")
}

@Suite(
    "Client of servers from PyPI",
    .enabled(if: PythonEnvironment.isComplete, "`make venv` installs them in .build/venv."),
    .timeLimit(.minutes(2)))
struct PythonServerTests {
    private func client(
        _ name: String, _ arguments: String..., era: ProtocolVersion.Era = .modern
    ) -> UpstreamClient {
        var configuration = Fixture.configuration(name)
        let words = ["\(PythonEnvironment.folder)/bin/\(name)"] + arguments
        var command = StdioServerCommand(command: "env", arguments: words)
        if era == .legacy {
            // It speaks both eras, so the probe is kept from it.
            configuration.probeTimeout = .milliseconds(10)
            command = StdioServerCommand(
                command: "sh", arguments: ["-c", "read probe; exec \"$@\"", "sh"] + words)
        }
        command.guardPath = Product.fixture
        return UpstreamClient(configuration, running: command)
    }

    @Test("mcp-server-time converts a time", arguments: [ProtocolVersion.Era.modern, .legacy])
    func time(era: ProtocolVersion.Era) async throws {
        let client = client("mcp-server-time", "--local-timezone", "UTC", era: era)
        let description = try await client.connect()
        #expect(description.version.era == era)
        #expect(description.serverInfo?.name == "mcp-time")
        let tools = try await client.listTools()
        #expect(tools.map(\.name).sorted() == ["convert_time", "get_current_time"])

        let outcome = await client.callTool(
            UpstreamCall(
                tool: "convert_time",
                arguments: [
                    "source_timezone": "Europe/Berlin", "time": "12:30",
                    "target_timezone": "Asia/Tokyo",
                ]))
        let text = try #require(outcome.result?.text)
        #expect(outcome.result?.isError == false)
        #expect(text.contains("Asia/Tokyo"))

        let wrong = await client.callTool(
            UpstreamCall(tool: "get_current_time", arguments: ["timezone": "Nowhere/Here"]))
        #expect(wrong.result?.isError == true)
        await client.close()
    }

    @Test("mcp-server-git reports on a repository")
    func git() async throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "mcp-client-git-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // A folder that is left over in /tmp harms nobody.
            try? FileManager.default.removeItem(at: folder)
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "init", "--quiet", folder.path]
        try process.run()
        process.waitUntilExit()

        let client = client("mcp-server-git", "--repository", folder.path)
        let outcome = await client.callTool(
            UpstreamCall(tool: "git_status", arguments: ["repo_path": .string(folder.path)]))
        #expect(outcome.result?.text.contains("No commits yet") == true)
        await client.close()
    }
}
