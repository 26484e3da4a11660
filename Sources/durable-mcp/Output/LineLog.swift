internal import DurableEngine
internal import DurableSecurity
internal import LinuxPlatform
internal import Synchronization

/// The log of a server: one line a record, to standard error, without secrets.
///
/// A thread of its own writes, so that a client that does not read cannot hold anything up: what
/// does not fit is dropped, and said so.
final class LineLog: Sendable {
    /// How much a record matters.
    enum Level: String, Sendable { case info, warning, error }

    /// How many lines wait to be written.
    private static let waitingLimit = 1000

    private struct Queue {
        var waiting = 0
        var dropped = 0
    }

    private let lines = Inbox<String>()
    private let queue = Mutex(Queue())
    private let scrubber: Scrubber
    private let now: @Sendable () -> Int64
    private let ended: AsyncStream<Void>

    /// A log that takes what `scrubber` knows out of each line.
    init(
        scrubber: Scrubber = Scrubber(),
        now: @escaping @Sendable () -> Int64 = { SystemClock.millisecondsSince1970() },
        write: @escaping @Sendable (String) -> Void = { _ = StandardStreams.writeError($0) }
    ) throws(LinuxError) {
        self.scrubber = scrubber
        self.now = now
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        self.ended = ended
        try SystemThread.start(named: "durable-log") { [lines, weak self] in
            while let line = lines.takeOne() {
                write(line)
                if let note = self?.wrote() { write(note) }
            }
            end.finish()
        }
    }

    deinit { lines.close() }

    /// Adds a record.
    func add(_ message: String, level: Level = .info) {
        let isRoom = queue.withLock { queue in
            guard queue.waiting < Self.waitingLimit else {
                queue.dropped += 1
                return false
            }
            queue.waiting += 1
            return true
        }
        if isRoom { _ = lines.send(line(message, level)) }
    }

    /// Writes what waits, for a second at most.
    func close() async {
        lines.close()
        let ended = ended
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in ended {} }
            group.addTask {
                // Cancelled is waited enough.
                try? await ContinuousClock().sleep(for: .seconds(1))
            }
            await group.next()
            group.cancelAll()
        }
    }

    /// Counts a line that was written; a line about those that were dropped, if there are any.
    private func wrote() -> String? {
        let dropped = queue.withLock { queue in
            queue.waiting -= 1
            defer { queue.dropped = 0 }
            return queue.dropped
        }
        guard dropped > 0 else { return nil }
        return line("\(dropped) lines were dropped, since nobody read them.", .warning)
    }

    private func line(_ message: String, _ level: Level) -> String {
        let time = Timestamp(milliseconds: now()).text
        return "\(time) \(level.rawValue): \(SafeText.line(scrubber.scrub(message)))\n"
    }
}
