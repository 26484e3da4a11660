internal import LinuxPlatform
internal import Synchronization

/// What waits for a loop's thread, put there from any thread.
final class LoopInbox: Sendable {
    /// A piece of a task that is ready to run.
    struct Job {
        let job: UnownedJob
        /// Whether it belongs to the loop's actor, or to a task that only prefers to run here.
        let isIsolated: Bool
    }

    private struct State {
        var jobs: [Job] = []
        /// Connections that another loop accepted for this one.
        var arrivals: [ConnectedSocket.Released] = []
        /// The thread waits, or is about to, and must be woken for what is put.
        var sleeps = false
        var thread: UInt = 0
        /// The thread has ended.
        var stopped = false
    }

    let wakeUp: WakeUp
    private let state = Mutex(State())
    /// Held by whoever runs a job after the thread has ended, so that they run one at a time.
    private let late = Mutex(())

    init() throws(LinuxError) {
        wakeUp = try WakeUp()
    }

    /// Gives the thread a job; false if the thread has ended.
    func put(_ job: Job) -> Bool {
        let (wakes, taken) = state.withLock { state in
            if state.stopped { return (false, false) }
            state.jobs.append(job)
            defer { state.sleeps = false }
            return (state.sleeps, true)
        }
        if wakes { wakeUp.signal() }
        return taken
    }

    /// Runs a job that came after the thread had ended, on a thread of its own.
    ///
    /// So whoever still waits for a stream of this loop learns that it has ended.
    func runLate(_ job: @escaping @Sendable () -> Void) {
        let run: @Sendable () -> Void = {
            self.late.withLock { _ in
                self.adopt()
                job()
            }
        }
        do { try SystemThread.start(named: "http-late", run) } catch { run() }
    }

    /// Gives the loop a connection, and wakes it.
    func put(_ arrival: ConnectedSocket.Released) {
        let taken = state.withLock { state in
            if !state.stopped { state.arrivals.append(arrival) }
            return !state.stopped
        }
        if taken { wakeUp.signal() } else { _ = ConnectedSocket(arrival) }
    }

    /// Wakes the thread without giving it anything.
    func wake() { wakeUp.signal() }

    /// Takes all jobs, leaving the empty `batch` in their place.
    func take(into batch: inout [Job]) {
        state.withLock { swap(&$0.jobs, &batch) }
    }

    /// Takes all connections that arrived.
    func takeArrivals() -> [ConnectedSocket.Released] {
        state.withLock { state in
            defer { state.arrivals = [] }
            return state.arrivals
        }
    }

    /// Tells that the thread is about to wait; false if it must not, because there are jobs.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.sleeps = state.jobs.isEmpty
            return state.sleeps
        }
    }

    /// Tells that the thread waits no more.
    func awake() {
        state.withLock { $0.sleeps = false }
    }

    /// Tells that the calling thread is the loop's.
    func adopt() {
        let thread = SystemThread.currentIdentity
        state.withLock { $0.thread = thread }
    }

    /// Tells that the thread ends; false if it must not yet, because there are jobs.
    func stop() -> Bool {
        let leftOver = state.withLock { state -> [ConnectedSocket.Released]? in
            guard state.jobs.isEmpty else { return nil }
            state.stopped = true
            state.thread = 0
            defer { state.arrivals = [] }
            return state.arrivals
        }
        for arrival in leftOver ?? [] { _ = ConnectedSocket(arrival) }
        return leftOver != nil
    }

    /// Whether the calling thread is the loop's.
    var isCurrent: Bool {
        let thread = SystemThread.currentIdentity
        return state.withLock { $0.thread == thread }
    }
}

/// Runs the jobs of the loop's actor on the loop's thread.
final class LoopIsolation: SerialExecutor {
    private let inbox: LoopInbox

    init(inbox: LoopInbox) { self.inbox = inbox }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard !inbox.put(LoopInbox.Job(job: job, isIsolated: true)) else { return }
        inbox.runLate { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        precondition(inbox.isCurrent, "This belongs to the loop's thread.")
    }

    func isIsolatingCurrentContext() -> Bool? { inbox.isCurrent }
}

/// Runs tasks that prefer it on a loop's thread: those of request handlers.
final class LoopExecutor: TaskExecutor {
    private let inbox: LoopInbox

    init(inbox: LoopInbox) { self.inbox = inbox }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        guard !inbox.put(LoopInbox.Job(job: job, isIsolated: false)) else { return }
        inbox.runLate { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
