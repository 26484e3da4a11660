import Foundation
import LinuxPlatform
import Synchronization
import Testing

/// What a child did, for a test to wait for.
private final class Record: ChildObserver {
    private struct State {
        var process: Int32?
        var output = ""
        var complaints = ""
        var exit: ChildExit?
        var unsent: Set<UInt64> = []
    }

    private let state = Mutex(State())

    var process: Int32? { state.withLock(\.process) }
    var output: String { state.withLock(\.output) }
    var complaints: String { state.withLock(\.complaints) }
    var exit: ChildExit? { state.withLock(\.exit) }
    var unsent: Set<UInt64> { state.withLock(\.unsent) }

    func childStarted(process: Int32) { state.withLock { $0.process = process } }

    func childWrote(_ bytes: [UInt8]) {
        state.withLock { $0.output += String(decoding: bytes, as: UTF8.self) }
    }

    func childComplained(_ bytes: [UInt8]) {
        state.withLock { $0.complaints += String(decoding: bytes, as: UTF8.self) }
    }

    func childEnded(_ exit: ChildExit, unsent: Set<UInt64>) {
        state.withLock { state in
            state.exit = exit
            state.unsent = unsent
        }
    }
}

@Suite("Child process", .timeLimit(.minutes(1)))
struct ChildProcessTests {
    private let record = Record()

    /// The fixture stands beside the tests, and can be a guard.
    private static let guardPath: String = {
        // Without it no guard is found, and each test says so.
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let folder = URL(filePath: own ?? "").deletingLastPathComponent().path
        return "\(folder)/mcp-fixture"
    }()

    private func start(
        _ words: String..., environment: [String: String] = ["PATH": "/usr/bin:/bin"],
        grace: Duration = .milliseconds(300)
    ) throws -> ChildProcess {
        try ChildProcess.start(
            ChildCommand(
                command: words[0], arguments: Array(words.dropFirst()), environment: environment,
                guardPath: Self.guardPath, grace: grace),
            observer: record)
    }

    private func eventually(_ condition: () -> Bool) async {
        // A cancelled test need not wait.
        while !condition() { try? await Task.sleep(for: .milliseconds(5)) }
    }

    private func isRunning(_ process: Int) -> Bool {
        // A process that is gone has no file.
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = status.lastIndex(of: ")")
        else { return false }
        return !status[end...].hasPrefix(") Z")
    }

    @Test("what is written reaches the child, and its answers and exit come back")
    func streams() async throws {
        let child = try start("sh", "-c", "cat; echo gone >&2; exit 7")
        #expect(child.write(Array("one\n".utf8), number: 1))
        #expect(child.write(Array("two\n".utf8), number: 2))
        child.closeInput()
        #expect(!child.write(Array("three\n".utf8), number: 3))
        await eventually { record.exit != nil }
        #expect(record.output == "one\ntwo\n")
        #expect(record.complaints == "gone\n")
        #expect(record.exit == .exited(7))
    }

    @Test("megabytes go through in both directions")
    func large() async throws {
        let child = try start("cat")
        let line = Array(repeating: UInt8(ascii: "x"), count: 3 << 20)
        #expect(child.write(line, number: 1))
        child.closeInput()
        await eventually { record.exit != nil }
        #expect(record.output.utf8.count == line.count)
    }

    @Test("no shell sees the arguments")
    func arguments() async throws {
        _ = try start("printf", "%s|", "$(id)", "a b", ";'\"*", "")
        await eventually { record.exit != nil }
        #expect(record.output == "$(id)|a b|;'\"*||")
    }

    @Test("the environment is what was given, and nothing else")
    func environment() async throws {
        setenv("DURABLE_TEST_SECRET", "hidden", 1)
        let minimal = ChildEnvironment.minimal(adding: ["TOKEN": "given"])
        #expect(minimal["TOKEN"] == "given")
        #expect(minimal["PATH"] != nil)
        #expect(minimal["DURABLE_TEST_SECRET"] == nil)
        _ = try start("env", environment: ["PATH": "/usr/bin:/bin", "TOKEN": "given"])
        await eventually { record.exit != nil }
        #expect(
            Set(record.output.split(separator: "\n")) == ["PATH=/usr/bin:/bin", "TOKEN=given"])
    }

    @Test("descriptors are closed and signals are as the system sets them")
    func inheritance() async throws {
        // A shell blocks signals while it starts a program, so the last one takes its place.
        _ = try start("sh", "-c", "ls /proc/$$/fd; exec grep -E 'SigBlk|SigIgn' /proc/$$/status")
        await eventually { record.exit != nil }
        let lines = record.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(3) == ["0", "1", "2"])
        #expect(lines.count == 5)
        let masks = lines.suffix(2).compactMap { line in
            line.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) }
        }
        // The C library ignores two signals of its own, 32 and 33, in what it spawns.
        #expect(masks.map { $0 & ~0x1_8000_0000 } == [0, 0])
    }

    @Test("a command that cannot be run is told apart from one that ends")
    func notStarted() async throws {
        _ = try start("no-such-command-here")
        await eventually { record.exit != nil }
        #expect(record.exit == .notStarted(ENOENT, about: .command))
        #expect(throws: LinuxError.self) { try start("") }
        #expect(throws: LinuxError.self) { try start("echo", "a\0b") }
    }

    @Test("a child that ignores SIGTERM is killed after the grace, with its group")
    func stubborn() async throws {
        let child = try start(
            "sh", "-c", "trap '' TERM; sleep 600 & echo $! $$; while :; do wait; done")
        await eventually { record.output.hasSuffix("\n") }
        child.terminate()
        await eventually { record.exit != nil }
        #expect(record.exit == .signalled(SIGKILL))
        for process in processes(in: record.output) { #expect(!isRunning(process)) }
    }

    @Test("a child that closes its output is ended")
    func closedOutput() async throws {
        _ = try start("sh", "-c", "exec >&-; exec sleep 600")
        await eventually { record.exit != nil }
        #expect(record.exit == .signalled(SIGTERM))
    }

    @Test("what a child left behind ends with it, even in a session of its own")
    func leftBehind() async throws {
        _ = try start("sh", "-c", "sleep 600 & echo $!; setsid sleep 600 & echo $!; exit 0")
        await eventually { record.exit != nil }
        #expect(record.exit == .exited(0))
        let processes = processes(in: record.output)
        #expect(processes.count == 2)
        for process in processes { #expect(!isRunning(process)) }
    }

    @Test("a message that waits behind a full pipe can be taken back")
    func withdraw() async throws {
        let child = try start("sh", "-c", "echo ready; sleep 600")
        await eventually { record.output == "ready\n" }
        #expect(child.write(Array(repeating: 10, count: 1 << 20), number: 1))
        #expect(child.write([10], number: 2))
        #expect(child.write([10], number: 3))
        // The first may be caught before its first byte; the others wait behind it.
        #expect(child.withdraw(2))
        #expect(!child.withdraw(2))
        child.terminate()
        await eventually { record.exit != nil }
        #expect(record.unsent.contains(3))
        #expect(!record.unsent.contains(2))
    }

    @Test("a queue that is full refuses more")
    func queueLimit() async throws {
        let child = try start("sleep", "600")
        let half = [UInt8](repeating: 10, count: ChildProcess.queueLimitBytes / 2 + 1)
        #expect(child.write(half, number: 1))
        #expect(!child.write(half, number: 2))
        child.terminate()
        await eventually { record.exit != nil }
    }

    @Test("the child goes when its guard is killed")
    func guardKilled() async throws {
        let child = try start("sh", "-c", "echo $$ $PPID; sleep 600")
        await eventually { record.output.hasSuffix("\n") }
        let processes = processes(in: record.output)
        try #require(processes.count == 2)
        kill(pid_t(processes[1]), SIGKILL)
        await eventually { record.exit != nil }
        #expect(record.exit == .guardLost)
        await eventually { !isRunning(processes[0]) }
        child.terminate()
    }

    @Test("kill -9 of the parent ends child and grandchildren, even those that left the group")
    func parentKilled() async throws {
        let parent = Process()
        parent.executableURL = URL(filePath: Self.guardPath)
        parent.arguments = [
            "__hold", "sh", "-c",
            "trap '' TERM; sleep 600 & echo $!; setsid sleep 600 & echo $!; echo $$ $PPID; wait",
        ]
        let output = Pipe()
        parent.standardOutput = output
        try parent.run()
        var text = ""
        while processes(in: text).count < 4 {
            text += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        }
        let processes = processes(in: text)
        for process in processes { #expect(isRunning(process)) }

        kill(parent.processIdentifier, SIGKILL)

        for process in processes { await eventually { !isRunning(process) } }
    }

    private func processes(in text: String) -> [Int] {
        text.split { $0 == "\n" || $0 == " " }.compactMap { Int($0) }
    }
}
