internal import CSQLite
internal import DurableLog
internal import LinuxPlatform

/// The owner of the only read-write connection, on a thread of its own.
///
/// It takes all that is queued into one transaction with one sync, checks each request by
/// itself, and answers when all is durable. Every transaction and every checkpoint happens
/// under the store's lock file: up to version 3.51.2, SQLite can lose committed pages when one
/// connection checkpoints while another commits and so resets the write-ahead log
/// (https://www.sqlite.org/wal.html, "the WAL-reset bug").
final class Writer {
    private let file: StoreFile
    private let inbox: Inbox<WriteRequest>
    private var session: Session?
    private var outcomes: [WriteRequest.Outcome] = []
    /// How many batches without events this process has counted in its row.
    private var countedBatches: Int64 = 0
    /// How long the write-ahead log was when the newest checkpoint could not finish it.
    private var framesLeft = 0
    /// The files that this process has open.
    private let identities: [FileIdentity?]

    /// The most requests that one transaction takes.
    private static let batchLimit = 256

    init(
        file: StoreFile, session: Session, inbox: Inbox<WriteRequest>
    ) throws(StoreError) {
        self.file = file
        identities = try file.identities()
        self.session = session
        self.inbox = inbox
    }

    /// Serves until asked to close, or until the store is let go of.
    func run() {
        var batch: [WriteRequest] = []
        var isClosing = false
        while !isClosing && inbox.wait() {
            let locked = Result { () throws(StoreError) in try file.takeLock() }
            // What came while waiting for the lock joins the batch.
            guard inbox.takeAll(into: &batch, limit: Self.batchLimit) else { break }
            isClosing = batch.contains { if case .close = $0.action { true } else { false } }
            switch locked {
            case .failure(let error): answer(batch, with: .failed(error))
            case .success: serve(batch, isClosing: isClosing)
            }
            batch.removeAll(keepingCapacity: true)
        }
        session = nil
        inbox.close()
        while inbox.takeAll(into: &batch, limit: Self.batchLimit) {
            answer(batch, with: .failed(.closed()))
        }
    }

    /// With the lock held: does what is asked, answers, checkpoints when due, and unlocks.
    private func serve(_ batch: [WriteRequest], isClosing: Bool) {
        outcomes.removeAll(keepingCapacity: true)
        perform(batch)
        if isClosing {
            leave()
            file.lock.unlock()
            answer(batch)
        } else {
            answer(batch)
            checkpointIfDue()
            file.lock.unlock()
        }
    }

    private func answer(_ batch: [WriteRequest]) {
        for (request, outcome) in zip(batch, outcomes) { request.reply.resume(returning: outcome) }
    }

    private func answer(_ batch: [WriteRequest], with outcome: WriteRequest.Outcome) {
        for request in batch { request.reply.resume(returning: outcome) }
    }

    /// What is written into a file that has no name any more is lost, however durable it looks.
    private func checkFiles() throws(StoreError) {
        guard try file.identities() != identities else { return }
        throw StoreError(
            code: .unavailable,
            message: """
                The files of the store '\(file.path)' were removed or replaced while this process \
                used them, so it writes nothing more. Put them right and start it again.
                """)
    }

    // MARK: One transaction

    /// Appends one outcome a request to `outcomes`.
    private func perform(_ batch: [WriteRequest]) {
        let first = outcomes.count
        do throws(StoreError) {
            try checkFiles()
            let session = try openedSession()
            try session.statements.begin.run()
            var witness: Witness?
            var hasChanged = false
            for request in batch {
                outcomes.append(
                    try perform(request.action, in: session, &witness, &hasChanged))
            }
            try finish(session, witness, hasChanged, first)
        } catch {
            rollBack()
            outcomes.removeSubrange(first...)
            if batch.count > 1 && error.code != .outcomeUnknown && session != nil {
                // It may be the fault of one of them: each gets a transaction of its own.
                for request in batch { perform([request]) }
            } else {
                for _ in batch { outcomes.append(.failed(error)) }
            }
        }
    }

    /// Does one request; throws only what concerns the whole transaction.
    private func perform(
        _ action: WriteRequest.Action, in session: Session, _ witness: inout Witness?,
        _ hasChanged: inout Bool
    ) throws(StoreError) -> WriteRequest.Outcome {
        do throws(StoreError) {
            switch action {
            case .commit(let commit):
                let (receipt, newest) = try session.perform(commit)
                witness = newest ?? witness
                hasChanged = true
                return .receipt(receipt)
            case .acquire(let conversation, let process, let deadHolder):
                let grant = try session.acquireLease(
                    of: conversation, for: process, takingFrom: deadHolder)
                if case .granted = grant { hasChanged = true }
                return .grant(grant)
            case .enqueue(let item):
                let (id, lease) = try session.enqueue(item)
                hasChanged = true
                return .enqueued(id: id, lease: lease)
            case .forget(let process):
                let forgotten = try session.forget(process)
                hasChanged = hasChanged || forgotten
                return .done(forgotten)
            case .setMetadata(let name, let value):
                let kept = try session.setMetadataIfAbsent(name, value)
                hasChanged = true
                return .value(kept)
            case .close:
                return .done(true)
            }
        } catch {
            switch error.code {
            case .conflict, .staleEpoch, .duplicateKey: return .failed(error)
            default: throw error
            }
        }
    }

    /// Ends the transaction; afterwards it is known whether it happened, or `.outcomeUnknown`
    /// is thrown.
    private func finish(
        _ session: Session, _ witness: Witness?, _ hasChanged: Bool, _ first: Int
    ) throws(StoreError) {
        guard hasChanged else { return try session.statements.rollback.run() }
        var witness = witness
        if witness == nil {
            countedBatches += 1
            try session.countBatch(countedBatches)
            witness = .count(countedBatches)
        }
        do throws(StoreError) {
            try file.faults.atCommit(session.statements.commit)
        } catch {
            // A full disk cuts the log before its commit mark, so nothing has happened.
            if let cause = error.cause as? SQLiteFailure, cause.code & 0xff == SQLITE_FULL {
                throw error
            }
            guard let witness, try hasHappened(witness, after: error) else { throw error }
        }
    }

    private func rollBack() {
        guard let session else { return }
        session.forgetCached()
        guard session.connection.isInTransaction else { return }
        do throws(StoreError) {
            try session.statements.rollback.run()
        } catch {
            // A connection that cannot even roll back is given up; the next batch opens one.
            self.session = nil
        }
    }

    /// Lets go of a connection that may be in any state; the next batch opens one.
    private func giveUpSession() {
        // Callers further up may still have it, so its locks must go before it does.
        rollBack()
        session = nil
    }

    // MARK: After a failed commit

    /// Finds out, with a new connection, whether a transaction happened.
    ///
    /// A commit mark that was written but not acknowledged could still come to life in a
    /// recovery after a crash. So a transaction of our own is committed first: it either
    /// overwrites that mark or comes after it, and then what is read is final.
    private func hasHappened(
        _ witness: Witness, after failure: StoreError
    ) throws(StoreError) -> Bool {
        giveUpSession()
        do throws(StoreError) {
            try file.faults.atReopen()
            let fresh = try openedSession()
            try fresh.statements.begin.run()
            let found = try fresh.has(witness)
            try fresh.countRecovery()
            try fresh.statements.commit.run()
            // The failed sync may have lost pages of the log for good, so the database itself
            // must have them before anyone is told.
            if found { try fresh.connection.checkpoint(waiting: false) }
            return found
        } catch {
            giveUpSession()
            throw StoreError(
                code: .outcomeUnknown,
                message: """
                    A commit to the store '\(file.path)' failed, and whether it happened could \
                    not be found out (\(error.message)). Read before answering.
                    """, cause: failure)
        }
    }

    private func openedSession() throws(StoreError) -> Session {
        if let session { return session }
        let opened = try file.openSession()
        session = opened
        return opened
    }

    // MARK: Checkpoints

    /// With the lock held: moves the log into the database when it has grown enough.
    private func checkpointIfDue() {
        guard let session else { return }
        let frames = session.connection.framesInWriteAheadLog
        let limit = file.configuration.checkpointFrames
        if frames < framesLeft { framesLeft = 0 }
        guard frames >= limit, frames >= framesLeft + limit / 4 else { return }
        do throws(StoreError) {
            // Beyond four times the limit, readers are waited for so that the log starts anew.
            try session.connection.checkpoint(waiting: frames >= 4 * limit)
            framesLeft = frames
        } catch {
            // Nothing is lost: the log keeps it, and the next batch tries again or fails itself.
            framesLeft = frames
        }
    }

    /// Forgets this process and lets go of the file; the lock is held.
    ///
    /// What it still holds stays its own, as after a crash: there is work in it that others are to
    /// take over.
    private func leave() {
        guard let session else { return }
        do throws(StoreError) {
            try session.statements.begin.run()
            _ = try session.forget(session.process)
            try session.statements.commit.run()
            try session.connection.checkpoint(waiting: false)
        } catch {
            // As after a crash, then: others see that this process is gone, and take over.
            rollBack()
        }
        self.session = nil
    }
}
