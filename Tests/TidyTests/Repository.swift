import Foundation

/// The files of this repository, as the tests that follow look at them.
struct Repository {
    /// One text file.
    struct File: Sendable {
        /// Relative to the repository's root.
        let path: String
        let lines: [String]

        var name: String { path.split(separator: "/").last.map(String.init) ?? path }

        /// The lines without comments, and with strings emptied; as many as `lines`.
        let code: [String]

        init(path: String, lines: [String]) {
            self.path = path
            self.lines = lines
            code = path.hasSuffix(".swift") ? SwiftText.code(of: lines) : lines
        }
    }

    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every Swift file of ours.
    static let swift: [File] =
        files(in: ["Sources", "Tests"], ending: [".swift"])
        + [read("Package.swift")].compactMap(\.self)

    /// Every Markdown file of ours.
    static let markdown: [File] =
        files(in: ["docs", "mcp-config", "fixtures", "Sources", "Tests"], ending: [".md"])
        + ["README.md", "CHANGELOG.md"].compactMap { read($0) }

    /// Everything that people wrote by hand.
    static let written: [File] =
        swift + markdown
        + files(
            in: ["Sources", "mcp-config", "scripts", ".ci"],
            ending: [".c", ".h", ".modulemap", ".json", ".jsonc", ".sh", "run"])
        + [read("Makefile")].compactMap(\.self)

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path())
    }

    private static func files(in folders: [String], ending: [String]) -> [File] {
        folders.flatMap { folder -> [File] in
            let enumerator = FileManager.default.enumerator(
                atPath: root.appending(path: folder).path())
            let names = (enumerator?.allObjects ?? []).compactMap { $0 as? String }
            return names.sorted().filter { name in ending.contains { name.hasSuffix($0) } }
                .compactMap { read("\(folder)/\($0)") }
        }
    }

    private static func read(_ path: String) -> File? {
        guard
            let data = FileManager.default.contents(atPath: root.appending(path: path).path())
        else { return nil }
        let text = String(decoding: data, as: UTF8.self)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return File(path: path, lines: lines)
    }
}
