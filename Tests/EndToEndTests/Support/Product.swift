import Foundation
import Testing

/// The programs that were built beside the tests, and what was installed for them.
enum Product {
    static let folder: String = {
        // Without it no program is found, and each test says so.
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        return URL(filePath: own ?? "").deletingLastPathComponent().path
    }()

    static let durableMCP = "\(folder)/durable-mcp"
    static let fixture = "\(folder)/mcp-fixture"

    /// The repository, for what lies beside the sources.
    static let repository = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// The Python packages that `make test` installs; without them some tests are skipped.
    static let python = "\(repository)/.build/venv"
    static let hasPython = FileManager.default.fileExists(atPath: "\(python)/complete")
}

extension Tag {
    /// Tests that start real programs and kill some of them.
    @Tag static var process: Self
}
