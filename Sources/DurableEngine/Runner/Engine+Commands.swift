internal import DurableLog
public import DurableSecurity
internal import OrderedJSON
internal import Synchronization

extension Engine {
    /// Accepts a run and returns once that is durable.
    ///
    /// The run goes on without its caller.
    ///
    /// - Throws: ``EngineError``: `.requestIDReused`, `.unknownTool`, `.toolUnavailable`,
    ///   `.notFound` for a conversation of another principal, `.storage`, `.stopping`.
    public func submit(
        _ request: RunRequest, by principal: Principal
    ) async throws(EngineError) -> RunID {
        let place = try await place(of: request, by: principal)
        if let earlier = try await earlier(request, in: place, by: principal) { return earlier }
        let (submission, _) = try await prepare(request, by: principal)
        return try await perform(
            .submit(submission), in: place.conversation, isNew: place.isNew)
    }

    /// Makes one tool call, and returns once it is settled or waits for somebody.
    ///
    /// Where the caller's task is cancelled before the call may have acted, the call is cancelled
    /// too; after that it goes on, and its result is kept.
    ///
    /// - Throws: as ``submit(_:by:)``, and `CancellationError` semantics as `.stopping` where the
    ///   caller's task was cancelled.
    public func call(
        _ request: RunRequest, by principal: Principal
    ) async throws(EngineError) -> RunSnapshot {
        var place = try await place(of: request, by: principal)
        if let id = try await earlier(request, in: place, by: principal) {
            return try await wait(for: id, in: place.conversation, until: nil, since: nil)
        }
        let (submission, mayWait) = try await prepare(request, by: principal)
        if request.requestID == nil, mayWait, let waiting = try await waitingTwin(of: submission) {
            return waiting
        }
        for _ in 0..<Self.retirementLimit {
            let news = services.observers.observe(submission.runID)
            do throws(OwnerError) {
                let owner = services.owner(of: place.conversation, isNew: place.isNew)
                let id = try await owner.perform(.submit(submission), acknowledgeFirst: false)
                if id != submission.runID { return try await join(id, of: owner, by: principal) }
                drive(owner, telling: id)
                return try await settled(news, id, in: place.conversation, by: principal)
            } catch {
                switch error {
                case .retired: place.isNew = false
                case .refused(let error): throw error
                case .heldElsewhere:
                    let id = try await perform(
                        .submit(submission), in: place.conversation, isNew: false)
                    return try await wait(
                        for: id, in: place.conversation, until: nil, since: nil)
                }
            }
        }
        throw .stopping()
    }

    /// Takes an answer to an approval, once it is durable.
    ///
    /// - Throws: ``EngineError``: `.notFound`, `.alreadyResolved`, `.notAllowed`,
    ///   `.digestMismatch`, `.wrongState`, `.storage`.
    public func answer(_ answer: ApprovalAnswer) async throws(EngineError) -> RunID {
        guard let row = try await approvalRow(answer.approvalID),
            let conversation = row.text("conversation")
        else { throw .unknownApproval(answer.approvalID) }
        return try await perform(
            .answer(answer), in: ConversationID(rawValue: conversation), isNew: false)
    }

    /// Has a run end at its next safe point, once that wish is durable.
    ///
    /// - Throws: ``EngineError``: `.notFound`, `.wrongState` where it has ended, `.storage`.
    public func cancel(_ id: RunID, by principal: Principal) async throws(EngineError) {
        let conversation = try await conversation(of: id, visibleTo: principal)
        _ = try await perform(.cancel(id, by: principal.id), in: conversation, isNew: false)
    }

    // MARK: Details

    static let retirementLimit = 100

    /// What is submitted, and whether it may come to wait for a person.
    private func prepare(
        _ request: RunRequest, by principal: Principal
    ) async throws(EngineError) -> (RunSubmitted, mayWait: Bool) {
        if services.stopping { throw .stopping() }
        var upstreams: [ToolFacts.Upstream] = []
        var mayWait = false
        let names: [String]
        switch request.work {
        case .script(let script): names = script.toolNames
        case .call(let tool, _): names = [tool]
        }
        for name in names {
            switch await services.tools.tool(named: name) {
            case .absent(let reason): throw .unknownTool(reason)
            case .unavailable(let reason): throw .toolUnavailable(reason)
            case .found(let tool):
                mayWait = mayWait || tool.facts.effect != .pure || tool.facts.approvalReason != nil
                if let upstream = tool.facts.upstream, !upstreams.contains(upstream) {
                    upstreams.append(upstream)
                }
            }
        }
        let submission = RunSubmitted(
            runID: services.identifiers.run(), principal: principal.id,
            requestID: request.requestID, payloadHash: keys.payloadHash(request.work),
            work: request.work, upstreams: upstreams)
        return (submission, mayWait)
    }

    /// The run that the same request has made before, whatever has become of its tools since.
    private func earlier(
        _ request: RunRequest, in place: Place, by principal: Principal
    ) async throws(EngineError) -> RunID? {
        guard let requestID = request.requestID, !place.isNew else { return nil }
        let state = try await storedState(of: place.conversation)
        guard let run = state.submission(principal.id, requestID) else { return nil }
        guard run.submission.payloadHash == keys.payloadHash(request.work) else {
            throw .requestIDReused(requestID)
        }
        return run.id
    }

    /// Where a run belongs.
    private struct Place {
        var conversation: ConversationID
        /// Whether nothing can be there yet.
        var isNew: Bool
    }

    private func place(
        of request: RunRequest, by principal: Principal
    ) async throws(EngineError) -> Place {
        if let id = request.conversationID {
            let state = try await storedState(of: id)
            // Who may see everything may not act on it.
            guard let owner = state.order.first.flatMap({ state.runs[$0]?.submission.principal }),
                owner == principal.id || principal.has(.admin)
            else {
                throw EngineError(
                    code: .notFound,
                    message: """
                        There is no conversation '\(id)' of yours. Leave 'conversationId' out to \
                        begin one.
                        """)
            }
            return Place(conversation: id, isNew: false)
        }
        guard let requestID = request.requestID else {
            return Place(conversation: services.identifiers.conversation(), isNew: true)
        }
        let id = ConversationID(
            rawValue: keys.conversationID(principal: principal.id, requestID: requestID))
        if services.owners.withLock({ $0[id] != nil }) {
            return Place(conversation: id, isNew: false)
        }
        do throws(StoreError) {
            return Place(conversation: id, isNew: try await services.store.lease(of: id) == nil)
        } catch {
            throw .storage(error)
        }
    }

    /// Carries a command out here where the conversation is ours or free, else has its owner do it.
    func perform(
        _ command: EngineCommand, in conversation: ConversationID, isNew: Bool
    ) async throws(EngineError) -> RunID {
        var isNew = isNew
        for _ in 0..<Self.retirementLimit {
            let owner = services.owner(of: conversation, isNew: isNew)
            do throws(OwnerError) {
                let id = try await owner.perform(command, acknowledgeFirst: true)
                await follow(owner, id)
                return id
            } catch {
                switch error {
                case .retired: isNew = false
                case .refused(let error): throw error
                case .heldElsewhere(let holder):
                    if await services.store.isAlive(holder) {
                        return try await Delegation(self).perform(command, in: conversation)
                    }
                    await adopt(conversation, from: holder)
                }
            }
        }
        throw .stopping()
    }

    /// After a command: go on here, or tell those who can.
    private func follow(_ owner: ConversationOwner, _ id: RunID) async {
        if services.configuration.runsWork {
            drive(owner, telling: id)
        } else {
            await services.wakeOthers()
        }
    }

    func drive(_ owner: ConversationOwner, telling run: RunID? = nil) {
        let services = services
        let isStarted = services.start {
            let hasDriven = await owner.drive()
            if hasDriven, let run { services.observers.tell(run, .look) }
        }
        if !isStarted, let run { services.observers.tell(run, .look) }
    }

    /// Takes a conversation over; false where the store did not let it, and upkeep must try again.
    ///
    /// Where somebody else has it, there is nothing to do here.
    @discardableResult
    func adopt(_ conversation: ConversationID, from dead: ProcessID?) async -> Bool {
        let owner = services.owner(of: conversation, isNew: false)
        do throws(OwnerError) {
            try await owner.adopt(from: dead)
            if services.configuration.runsWork { drive(owner) }
        } catch {
            guard case .refused(let error) = error else { return true }
            services.configuration.log("Cannot take over '\(conversation)': \(error.message)")
            return false
        }
        return true
    }
}
