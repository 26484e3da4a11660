internal import DurableLog

/// Failures that a test injects around a commit, as a disk would cause them.
package struct CommitFaults: Sendable {
    /// How one commit fails.
    package enum Fault: Sendable {
        /// It did not happen.
        case before
        /// It happened, but its success was lost.
        case after
    }

    /// Asked at each commit; nil lets it pass.
    package var commit: @Sendable () -> Fault? = { nil }
    /// Asked whether opening anew, to look what happened, fails.
    package var reopen: @Sendable () -> Bool = { false }

    /// No failures.
    package init() {}

    /// Runs the commit, or fails in its place.
    func atCommit(_ statement: Statement) throws(StoreError) {
        let fault = commit()
        if fault != .before { try statement.run() }
        if fault != nil { throw Self.injected }
    }

    func atReopen() throws(StoreError) {
        if reopen() { throw Self.injected }
    }

    private static let injected = StoreError(
        code: .unavailable, message: "A failure was injected by a test.")
}
