internal import DurableLog
internal import OrderedJSON

extension ConversationOwner {
    /// Carries out a command and makes it durable, or, for a direct call, starts it: then its
    /// events join the first commit that its kind asks for.
    func perform(
        _ command: EngineCommand, acknowledgeFirst: Bool
    ) async throws(OwnerError) -> RunID {
        await enterTurn()
        defer { leaveTurn() }
        try await load()
        let run = try decide(command)
        if !services.configuration.runsWork { advanceWithoutTools() }
        if acknowledgeFirst || !isUnwritten { try await flush(nextWish) }
        return run
    }

    /// Takes a conversation over, from a dead process or from nobody, and carries out what waits
    /// in its inbox.
    func adopt(from dead: ProcessID?) async throws(OwnerError) {
        await enterTurn()
        defer { leaveTurn() }
        try await load(takingFrom: dead)
        try await flush(.keep)
        try await carryOutInbox()
        if !services.configuration.runsWork {
            advanceWithoutTools()
            try await flush(nextWish)
        }
    }

    /// Ends a direct call whose caller has gone, unless it may have acted already.
    func abandon(_ id: RunID, by: String) async throws(OwnerError) {
        await enterTurn()
        defer { leaveTurn() }
        try await load()
        guard let run = state.runs[id], run.ending == nil else { return }
        if let step = run.steps.last, step.call?.effect == .external, step.phase.attempt != nil {
            return
        }
        _ = try decide(.cancel(id, by: by))
        try await flush(.keep)
    }

    /// How a run stands here; nil where this is no owner any more, and the store knows better.
    func standing(of id: RunID) async -> RunSnapshot? {
        await enterTurn()
        defer { leaveTurn() }
        return isRetired ? nil : state.snapshot(id)
    }

    /// What other processes have left for this conversation.
    ///
    /// Only in a turn.
    func carryOutInbox() async throws(OwnerError) {
        let items: [InboxItem]
        do throws(StoreError) {
            items = try await services.store.inbox(of: conversation)
        } catch {
            throw .refused(.storage(error))
        }
        guard !items.isEmpty else { return }
        var replies: [TableWrite] = []
        for item in items {
            replies.append(
                .put(
                    table: EngineTables.replies.name,
                    row: [
                        "item": .integer(item.id), "time": .integer(services.clock.now()),
                        "reply": .text(JSONValue.object(reply(to: item).json).text),
                    ]))
        }
        try await flush(.keep, consuming: items.map(\.id), writes: replies)
        for sender in Set(items.map(\.sender)) where sender != services.store.processID {
            await services.store.wake(sender)
        }
    }

    /// As ``carryOutInbox()``, in a turn of its own.
    func checkInbox() async throws(OwnerError) {
        await enterTurn()
        defer { leaveTurn() }
        try await load()
        try await carryOutInbox()
    }

    private func reply(to item: InboxItem) -> CommandReply {
        do {
            let value = try JSONValue(parsing: item.payload, limits: .stored)
            let command = try EngineCommand(value.objectValue ?? JSONObject())
            return CommandReply(.success(try decide(command)))
        } catch OwnerError.refused(let error) {
            return CommandReply(.failure(error))
        } catch let error as EngineError {
            return CommandReply(.failure(error))
        } catch {
            let unreadable = EngineError.unreadableEvent("inbox item", 1, "it is no JSON")
            return CommandReply(.failure(unreadable))
        }
    }

    private func decide(_ command: EngineCommand) throws(OwnerError) -> RunID {
        do throws(EngineError) {
            switch command {
            case .submit(let submission):
                switch try state.decideSubmit(submission) {
                case .existing(let id): return id
                case .new(let events):
                    record(events)
                    return submission.runID
                }
            case .answer(let answer):
                record(try state.decideAnswer(answer, now: services.clock.now()))
                guard let approval = state.approvals[answer.approvalID] else {
                    throw .unknownApproval(answer.approvalID)
                }
                return approval.request.runID
            case .cancel(let id, let by):
                record(try state.decideCancel(id, by: by))
                cancelBody?.yield()
                endPause?.yield()
                return id
            case .expire(let id):
                guard let approval = state.approvals[id] else { throw .unknownApproval(id) }
                record(state.decideExpiry(id, now: services.clock.now()))
                return approval.request.runID
            }
        } catch {
            throw .refused(error)
        }
    }

    /// Where no work is run here, what follows without any tool is done all the same: a run that
    /// only has to end need not wait for a process that has its upstreams.
    private func advanceWithoutTools() {
        while case .events(let events) = state.decideNext(services.decisionInput()) {
            record(events)
        }
    }

    /// Where no work is run here, the lease goes on at once to those who do.
    private var nextWish: LeaseWish {
        if services.configuration.runsWork { return .keep }
        return state.hasWork ? .handOver : .release
    }
}

extension ConversationState {
    /// Whether an attempt was under way when the last owner let go.
    var isInterrupted: Bool {
        guard let run = active, case .running = run.steps.last?.phase else { return false }
        return true
    }

    /// Whether something can be done without anybody acting first.
    var hasWork: Bool {
        guard let run = active, run.parkedReason == nil else { return false }
        guard let approval = run.pendingApproval.flatMap({ approvals[$0] }) else { return true }
        return run.cancelRequestedBy != nil && approval.request.purpose != .reconcile
    }
}
