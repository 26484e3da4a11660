import Foundation

/// What was waited for did not come.
struct Overdue: Error, CustomStringConvertible {
    let description: String
}

/// Waits until `condition` holds, which other processes bring about.
///
/// - Throws: ``Overdue``, naming what was waited for, when it does not within the time.
func eventually(
    _ what: @autoclosure () -> String, within limit: Duration = .seconds(30),
    _ condition: () async throws -> Bool
) async throws {
    _ = try await awaited(what(), within: limit) { try await condition() ? () : nil }
}

/// Waits until `value` gives something, which other processes bring about.
func awaited<Value: Sendable>(
    _ what: @autoclosure () -> String, within limit: Duration = .seconds(30),
    _ value: () async throws -> Value?
) async throws -> Value {
    let end = ContinuousClock.now + limit
    while true {
        if let value = try await value() { return value }
        if ContinuousClock.now > end { throw Overdue(description: "Waited in vain: \(what())") }
        try await Task.sleep(for: .milliseconds(4))
    }
}

/// Processes, as `/proc` shows them.
enum Processes {
    /// Whether a process exists that is not merely waiting to be collected.
    static func isRunning(_ process: Int32) -> Bool {
        guard let state = stat(process)?.state else { return false }
        return state != "Z" && state != "X"
    }

    /// The children of a process, their children, and so on.
    static func descendants(of process: Int32) -> [Int32] {
        var parents: [Int32: [Int32]] = [:]
        // Without the folder there are no processes to see, and the test that looks says so.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let one = Int32(name), let parent = stat(one)?.parent else { continue }
            parents[parent, default: []].append(one)
        }
        var found: [Int32] = []
        var queue = [process]
        while let next = queue.popLast() {
            let children = parents[next, default: []]
            found += children
            queue += children
        }
        return found
    }

    private static func stat(_ process: Int32) -> (state: String, parent: Int32)? {
        // A process that is gone has no file.
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[end...].dropFirst(2).split(separator: " ")
        guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
        return (String(fields[0]), parent)
    }
}
