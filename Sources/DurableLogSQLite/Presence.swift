internal import DurableLog
internal import LinuxPlatform
internal import Synchronization

/// How the processes of one store see and wake each other.
///
/// Each holds the lock of a file of its own, which the kernel drops when the process dies, and
/// listens on a datagram socket beside it. Pids and boot ids would not do: they lie in
/// containers.
final class Presence: Sendable {
    /// A value whenever another process woke this one.
    let wakes: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let folder: String
    private let process: ProcessID
    private let lock: LockFile
    /// Nil where the file system has no sockets: others' polling must do then.
    private let socket: WakeSocket?

    init(folder: String, process: ProcessID) throws(LinuxError) {
        self.folder = folder
        self.process = process
        (wakes, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        // Locked before it has its name, so that nobody finds it unlocked.
        let path = "\(folder)/\(process).lock"
        lock = try LockFile(path: "\(path).new")
        guard try lock.tryLock() else {
            throw .invalid("Process '\(process)' runs already; use a new id for each opening.")
        }
        try FileSystem.rename("\(path).new", to: path)
        // Waking is best effort; without a socket others reach this process by its polling.
        socket = try? WakeSocket(name: "\(process).sock", in: folder)
        if let socket {
            let continuation = self.continuation
            try SystemThread.start(named: "durable-wakes") {
                while socket.waitForWake() { continuation.yield() }
            }
        }
    }

    deinit { endWaiting() }

    /// Whether a process holds its lock.
    func isAlive(_ process: ProcessID) -> Bool {
        do throws(LinuxError) {
            return try LockFile.isHeld(path: "\(folder)/\(process).lock")
        } catch {
            // Taking a live process for dead is the dangerous mistake.
            return true
        }
    }

    /// Wakes a process, if it listens.
    func wake(_ process: ProcessID) { socket?.wake("\(process).sock") }

    /// Removes what a dead process left.
    func remove(_ process: String) {
        // What cannot be removed is litter, and harmless: ids are never used twice.
        try? FileSystem.remove("\(folder)/\(process).sock")
        try? FileSystem.remove("\(folder)/\(process).lock")  // Harmless litter, as above.
    }

    /// Removes the files of dead processes that are not registered any more.
    func sweep(keeping registered: Set<String>) {
        // An unreadable folder is found out where it matters; sweeping is housekeeping.
        for name in (try? FileSystem.names(in: folder)) ?? [] where name.hasSuffix(".lock") {
            let process = String(name.dropLast(5))
            if !registered.contains(process) && !isAlive(ProcessID(rawValue: process)) {
                remove(process)
            }
        }
    }

    /// Stops listening, and removes this process's own files.
    func leave() {
        endWaiting()
        remove(process.rawValue)
    }

    /// Drops the lock and leaves everything else behind, as a death does.
    func die() {
        endWaiting()
        lock.unlock()
    }

    private func endWaiting() {
        socket?.shutDown()
        continuation.finish()
    }
}
