import Foundation
import LinuxPlatform
import Synchronization
import Testing

@Suite("Lock file", .timeLimit(.minutes(1)))
struct LockFileTests {
    private let path = "/tmp/durable-lock-\(UUID().uuidString)"

    @Test("two descriptions of one file exclude each other within a process")
    func excludes() throws {
        let first = try LockFile(path: path)
        let second = try LockFile(path: path)
        defer { unlink(path) }

        #expect(try !LockFile.isHeld(path: path))
        #expect(try first.tryLock())
        #expect(try !second.tryLock())
        #expect(try LockFile.isHeld(path: path))
        first.unlock()
        #expect(try second.tryLock())
    }

    @Test("a lock goes with its holder")
    func goesWithHolder() throws {
        var holder: LockFile? = try LockFile(path: path)
        defer { unlink(path) }
        #expect(try holder?.tryLock() == true)

        holder = nil

        #expect(try !LockFile.isHeld(path: path))
    }

    @Test("a waiting thread gets the lock when it is dropped")
    func waits() async throws {
        let first = try LockFile(path: path)
        let second = try LockFile(path: path)
        defer { unlink(path) }
        try first.lock(within: .seconds(1))

        let outcome = AsyncStream.makeStream(of: Bool.self)
        try SystemThread.start(named: "lock-test") {
            // The test asks only whether it worked.
            let got = (try? second.lock(within: .seconds(30))) != nil
            outcome.continuation.yield(got)
            outcome.continuation.finish()
        }
        first.unlock()

        var iterator = outcome.stream.makeAsyncIterator()
        #expect(await iterator.next() == true)
    }

    @Test("a lock that is not dropped is waited for no longer than asked")
    func limit() throws {
        let first = try LockFile(path: path)
        let second = try LockFile(path: path)
        defer { unlink(path) }
        try first.lock(within: .zero)

        let error = #expect(throws: LinuxError.self) { try second.lock(within: .zero) }
        #expect(error?.code == .inUse)
        #expect(error?.message.contains(path) == true)
        first.unlock()
        try second.lock(within: .zero)
    }

    @Test("a file that is not there is not held")
    func missing() throws {
        #expect(try !LockFile.isHeld(path: path))
    }

    @Test("a folder that is not there is named")
    func missingFolder() {
        let error = #expect(throws: LinuxError.self) { try LockFile(path: "/nowhere/at/all") }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("/nowhere/at/all") == true)
    }
}

@Suite("Wake socket", .timeLimit(.minutes(1)))
struct WakeSocketTests {
    @Test("a datagram wakes, also where the path is too long for an address", arguments: [1, 150])
    func wakes(length: Int) async throws {
        let folder = "/tmp/durable-wake-\(UUID().uuidString)"
        let deep = "\(folder)/\(String(repeating: "d", count: length))"
        try FileSystem.makePrivateFolder(folder)
        try FileSystem.makePrivateFolder(deep)
        defer { try? FileManager.default.removeItem(atPath: folder) }  // Only /tmp is littered.
        let first = try WakeSocket(name: "first.sock", in: deep)
        let second = try WakeSocket(name: "second.sock", in: deep)

        let woken = AsyncStream.makeStream(of: Bool.self)
        try SystemThread.start(named: "wake-test") {
            while second.waitForWake() { woken.continuation.yield(true) }
            woken.continuation.yield(false)
            woken.continuation.finish()
        }
        first.wake("nobody.sock")
        first.wake("second.sock")
        var iterator = woken.stream.makeAsyncIterator()
        #expect(await iterator.next() == true)
        second.shutDown()
        #expect(await iterator.next() == false)
    }
}

@Suite("Inbox")
struct InboxTests {
    @Test("messages come in order, at most as many as asked for, and end with closing")
    func order() {
        let inbox = Inbox<Int>()
        for number in 1...5 { inbox.send(number) }
        inbox.close()
        var batch: [Int] = []

        #expect(!inbox.send(6))
        #expect(inbox.takeAll(into: &batch, limit: 3))
        #expect(batch == [1, 2, 3])
        #expect(inbox.takeOne() == 4)
        #expect(inbox.takeAll(into: &batch, limit: 3))
        #expect(batch == [5])
        #expect(!inbox.takeAll(into: &batch, limit: 3))
        #expect(inbox.takeOne() == nil)
    }

    @Test("a waiting thread gets what is sent", .timeLimit(.minutes(1)))
    func waiting() async throws {
        let inbox = Inbox<Int>()
        let got = AsyncStream.makeStream(of: Int.self)
        try SystemThread.start(named: "inbox-test") {
            while let message = inbox.takeOne() { got.continuation.yield(message) }
            got.continuation.finish()
        }
        for number in 1...1_000 { inbox.send(number) }
        inbox.close()

        var sum = 0
        for await number in got.stream { sum += number }
        #expect(sum == 500_500)
    }
}
