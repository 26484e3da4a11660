import DurableTesting
import Foundation
import LinuxPlatform
import MCPClient
import MCPProtocol
import OrderedJSON
import Synchronization
import Testing

/// The executables that were built beside the tests.
enum Product {
    static let folder: String = {
        // Without it no executable is found, and each test says so.
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return URL(filePath: own ?? "").deletingLastPathComponent().path
    }()

    static let fixture = "\(folder)/mcp-fixture"
}

/// A ledger file of one test, and the servers that write into it.
final class Fixture: Sendable {
    let ledgerPath = "/tmp/mcp-client-ledger-\(UUID().uuidString).jsonl"
    let lines = Mutex<[UpstreamLogLine]>([])

    deinit { unlink(ledgerPath) }

    func client(
        _ options: String..., configure: (inout UpstreamConfiguration) -> Void = { _ in },
        command change: (inout StdioServerCommand) -> Void = { _ in }
    ) -> UpstreamClient {
        var configuration = Self.configuration("fixture")
        configuration.log = { [weak self] line in self?.lines.withLock { $0.append(line) } }
        configure(&configuration)
        var command = StdioServerCommand(
            command: Product.fixture, arguments: ["--ledger", ledgerPath] + options,
            guardPath: Product.fixture)
        change(&command)
        return UpstreamClient(configuration, running: command)
    }

    static func configuration(_ name: String) -> UpstreamConfiguration {
        UpstreamConfiguration(
            name: name, clientInfo: Implementation(name: "mcp-client-tests", version: "1"))
    }

    /// What the ledger says, oldest first.
    func ledger() throws -> [JSONValue] {
        // A tool that was never called leaves no ledger.
        guard let text = try? String(contentsOfFile: ledgerPath, encoding: .utf8) else { return [] }
        return try text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    /// How often a tool is in the ledger with this event.
    func count(_ event: String, _ tool: String) throws -> Int {
        try ledger().count { $0["event"]?.stringValue == event && $0["tool"]?.stringValue == tool }
    }
}

extension UpstreamCallOutcome {
    /// The result; a failed expectation where there is none.
    var result: CallToolResult? {
        if case .result(let result) = self { return result }
        Issue.record("No result: \(self)")
        return nil
    }

    /// The error of a call that certainly did not run.
    var before: UpstreamError? {
        if case .before(let error) = self { return error }
        Issue.record("Not before: \(self)")
        return nil
    }

    /// The error of a call that may have run.
    var unknown: UpstreamError? {
        if case .unknown(let error) = self { return error }
        Issue.record("Not unknown: \(self)")
        return nil
    }
}

/// Waits until something holds that other threads or processes bring about.
func eventually(_ condition: () throws -> Bool) async rethrows {
    // Bounded by the time limit of the suite; each turn lets others run.
    // A cancelled test need not wait.
    while try !condition() { try? await Task.sleep(for: .milliseconds(5)) }
}

/// Whether a process exists that is not merely waiting to be collected.
func isRunning(_ process: Int) -> Bool {
    // A process that is gone has no file.
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let end = status.lastIndex(of: ")")
    else { return false }
    return !status[end...].hasPrefix(") Z")
}

extension ManualClock {
    /// This clock, as a client reads it.
    var time: ClientTime {
        ClientTime(now: { .milliseconds(self.now()) }, sleep: { try await self.sleep(for: $0) })
    }
}
