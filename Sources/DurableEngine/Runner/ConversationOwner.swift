internal import DurableLog
internal import OrderedJSON
internal import Synchronization

/// Why an owner did not do what it was asked to.
enum OwnerError: Error {
    /// It is no owner any more; ask for another.
    case retired
    /// Another process holds the conversation.
    case heldElsewhere(ProcessID)
    /// The engine's own answer.
    case refused(EngineError)

    /// What a failure to load comes down to.
    init(_ error: any Error) {
        switch error {
        case let error as OwnerError: self = error
        case let error as EngineError: self = .refused(error)
        case let error as StoreError: self = .refused(.storage(error))
        default: self = .retired
        }
    }
}

/// The one that feeds a live conversation: it decides, commits what it decided, and runs tool
/// bodies outside of that.
///
/// Everything that reads or changes the state happens in a turn, one at a time, each from its
/// decision to its commit. A body runs between turns. When a commit fails, the owner retires:
/// its state may be ahead of the store, and the next owner reads what is really there.
actor ConversationOwner {
    /// How far the lease is ours.
    private enum Standing {
        /// Nobody has ever written here, as far as we know: the first commit takes the lease.
        case new
        /// Nothing was read yet.
        case unloaded
        /// The lease is ours.
        case held
        /// Another owner must be made.
        case retired
    }

    nonisolated let conversation: ConversationID
    let services: EngineServices
    var state: ConversationState
    private var standing: Standing
    private var epoch: Int64 = 1
    private var sequence: Int64 = 0
    private var digest = EventChain.start
    private var pending: [NewEvent] = []
    private var pendingResultTool: String?
    private var dirtyRuns: [RunID] = []
    private var dirtyApprovals: [ApprovalID] = []
    private var clearsUnclaimed = false
    private var inTurn = false
    private var turnQueue: [CheckedContinuation<Void, Never>] = []
    var isDriving = false
    var cancelBody: AsyncStream<Void>.Continuation?
    var endPause: AsyncStream<Void>.Continuation?

    init(_ conversation: ConversationID, isNew: Bool, services: EngineServices) {
        self.conversation = conversation
        self.services = services
        state = ConversationState(id: conversation)
        standing = isNew ? .new : .unloaded
    }

    // MARK: Turns

    func enterTurn() async {
        guard inTurn else {
            inTurn = true
            return
        }
        await withCheckedContinuation { turnQueue.append($0) }
    }

    func leaveTurn() {
        if turnQueue.isEmpty { inTurn = false } else { turnQueue.removeFirst().resume() }
    }

    // MARK: Loading

    /// Makes the conversation ours and its state current.
    ///
    /// Only in a turn.
    func load(takingFrom dead: ProcessID? = nil) async throws(OwnerError) {
        switch standing {
        case .new, .held: return
        case .retired: throw .retired
        case .unloaded: break
        }
        var isOurs = false
        do {
            let grant = try await services.store.acquireLease(
                of: conversation, for: services.store.processID, takingFrom: dead)
            switch grant {
            case .held(let holder, _): throw OwnerError.heldElsewhere(holder)
            case .granted(let epoch): self.epoch = epoch
            }
            isOurs = true
            let log = ConversationLog(store: services.store, keys: services.keys)
            let end = try await log.read(conversation) { state.fold($0, at: $1) }
            (sequence, digest) = (end.sequence, end.digest)
        } catch {
            retire()
            if let error = error as? StoreError, error.code != .corrupt,
                isOurs || error.code == .outcomeUnknown
            {
                _ = services.lost.withLock { $0.insert(conversation) }
            }
            throw OwnerError(error)
        }
        standing = .held
        clearsUnclaimed = true
        if dead != nil || state.isInterrupted {
            record(state.decideRecovery(services.decisionInput()))
        }
    }

    // MARK: Recording and committing

    /// Takes events in, to be committed with the next ``flush(_:)``.
    ///
    /// Only in a turn.
    func record(_ events: [EngineEvent]) {
        for event in events {
            let time = max(services.clock.now(), state.lastTime)
            let payload = JSONValue.object(event.payload).serialized()
            sequence += 1
            digest = EventChain.digest(
                after: digest, conversation: conversation, sequence: sequence, epoch: epoch,
                type: event.type, version: event.version, time: time,
                leaf: services.keys.auditLeaf(payload))
            pending.append(
                NewEvent(
                    type: event.type, version: event.version, time: time, payload: payload,
                    digest: digest))
            state.fold(event, at: time)
            note(event)
        }
    }

    private func note(_ event: EngineEvent) {
        if dirtyRuns.last != event.runID, !dirtyRuns.contains(event.runID) {
            dirtyRuns.append(event.runID)
        }
        switch event {
        case .approvalRequested(let request): dirtyApprovals.append(request.approvalID)
        case .approvalResolved(let resolution): dirtyApprovals.append(resolution.approvalID)
        case .approvalExpired(_, let id, _): dirtyApprovals.append(id)
        case .effectResult(let result):
            pendingResultTool = state.runs[result.runID]?.steps[result.step].call?.tool
        default: break
        }
    }

    /// What becomes of the lease with a commit.
    enum LeaseWish {
        /// It stays ours.
        case keep
        /// Nothing is left to do here.
        case release
        /// Something is left to do, but not by us.
        case handOver
    }

    /// Commits what was recorded, and retires where the lease was given back.
    ///
    /// Only in a turn.
    func flush(
        _ wish: LeaseWish, consuming items: [Int64] = [], writes: [TableWrite] = []
    ) async throws(OwnerError) {
        guard !pending.isEmpty || !items.isEmpty || wish != .keep else { return }
        if standing == .retired { throw .retired }
        if standing == .new, pending.isEmpty {
            retire()
            return
        }
        let commit = makeCommit(wish, items, writes)
        do throws(StoreError) {
            let receipt = try await commitPatiently(commit)
            finishFlush(wish, released: receipt.entries.first?.released ?? false)
        } catch {
            let held = standing == .held
            retire()
            switch error.code {
            case .conflict, .staleEpoch: throw .retired
            default:
                // Whether or not it happened, the lease may be ours: upkeep goes on from there.
                if held || error.code == .outcomeUnknown {
                    _ = services.lost.withLock { $0.insert(conversation) }
                }
                throw .refused(.storage(error))
            }
        }
    }

    private func makeCommit(
        _ wish: LeaseWish, _ items: [Int64], _ writes: [TableWrite]
    ) -> Commit {
        let process = services.store.processID
        let lease: Append.LeaseChange =
            switch (standing, wish) {
            case (.new, .keep): .open(process)
            case (.new, _): .openAndRelease(process)
            case (_, .keep): .keep
            case (_, _): .release
            }
        let append = Append(
            conversation: conversation, expectedSequence: sequence - Int64(pending.count),
            epoch: epoch, events: pending, lease: lease)
        var all = writes
        for id in dirtyRuns {
            guard let run = state.runs[id] else { continue }
            all.append(.put(table: EngineTables.runs.name, row: state.runRow(run)))
        }
        for id in dirtyApprovals {
            guard let approval = state.approvals[id] else { continue }
            all.append(.put(table: EngineTables.approvals.name, row: state.approvalRow(approval)))
        }
        if wish == .handOver {
            let upstreams = JSONValue.array(
                (state.active?.submission.upstreams ?? []).map(\.payload))
            all.append(
                .put(
                    table: EngineTables.unclaimed.name,
                    row: [
                        "conversation": .text(conversation.rawValue),
                        "since": .integer(services.clock.now()),
                        "upstreams": .text(upstreams.text),
                    ]))
        } else if clearsUnclaimed {
            all.append(
                .delete(
                    table: EngineTables.unclaimed.name,
                    key: ["conversation": .text(conversation.rawValue)]))
        }
        return Commit(appends: [append], writes: all, consumedInbox: items)
    }

    /// Commits; where the store cannot be written just now and the commit carries a result, which
    /// nobody could find out again, it tries for a while.
    private func commitPatiently(_ commit: Commit) async throws(StoreError) -> CommitReceipt {
        var attempts = holdsResult ? 30 : 1
        while true {
            do throws(StoreError) {
                return try await services.store.commit(commit)
            } catch {
                attempts -= 1
                guard error.code == .unavailable, attempts > 0 else { throw error }
                services.configuration.log("A result waits to be stored: \(error.message)")
                do { try await services.clock.sleep(for: .seconds(1)) } catch { attempts = 0 }
            }
        }
    }

    private func finishFlush(_ wish: LeaseWish, released: Bool) {
        let moved = dirtyRuns
        pending.removeAll(keepingCapacity: true)
        dirtyRuns.removeAll(keepingCapacity: true)
        dirtyApprovals.removeAll(keepingCapacity: true)
        clearsUnclaimed = false
        if let tool = pendingResultTool {
            pendingResultTool = nil
            services.configuration.atFailpoint(.afterResult, tool)
        }
        if wish != .keep, released { retire() } else { standing = .held }
        for id in moved where services.observers.isWatched(id) {
            if let snapshot = state.snapshot(id) { services.observers.tell(id, .moved(snapshot)) }
        }
    }

    private func retire() {
        standing = .retired
        services.retire(self)
    }

    /// Whether nothing of this conversation is in the store yet.
    var isUnwritten: Bool { standing == .new }

    /// Whether a call's result waits for the next commit.
    var holdsResult: Bool { pendingResultTool != nil }

    /// Whether another owner must be made.
    var isRetired: Bool { standing == .retired }
}
