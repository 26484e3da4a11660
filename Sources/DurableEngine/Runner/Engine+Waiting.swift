internal import DurableLog
internal import DurableSecurity
internal import Synchronization

extension Engine {
    /// How often a run in another process is looked at.
    private static let pollInterval: Duration = .milliseconds(250)

    /// Waits for a direct call that is driven here.
    func settled(
        _ news: AsyncStream<RunNews>, _ id: RunID, in conversation: ConversationID,
        by principal: Principal
    ) async throws(OwnerError) -> RunSnapshot {
        for await item in news {
            switch item {
            case .moved(let snapshot) where snapshot.isSettled: return snapshot
            case .moved: continue
            case .look: return try await lookAgain(id, in: conversation)
            }
        }
        // The stream ends early only where the caller's task was cancelled.
        await abandon(id, in: conversation, by: principal)
        throw .refused(.stopping())
    }

    /// Waits for a direct call that an earlier request has made.
    func join(
        _ id: RunID, of owner: ConversationOwner, by principal: Principal
    ) async throws(OwnerError) -> RunSnapshot {
        let news = services.observers.observe(id)
        switch await owner.standing(of: id) {
        case nil: return try await lookAgain(id, in: owner.conversation)
        case let snapshot? where snapshot.isSettled: return snapshot
        case _?: return try await settled(news, id, in: owner.conversation, by: principal)
        }
    }

    /// The driver has stopped: the store says how the run stands, or that it never came there.
    private func lookAgain(
        _ id: RunID, in conversation: ConversationID
    ) async throws(OwnerError) -> RunSnapshot {
        let snapshot: RunSnapshot?
        do throws(EngineError) {
            snapshot = try await storedState(of: conversation).snapshot(id)
        } catch {
            throw .refused(error)
        }
        guard let snapshot else { throw .retired }
        if snapshot.isSettled { return snapshot }
        do throws(EngineError) {
            return try await wait(for: id, in: conversation, until: nil, since: nil)
        } catch {
            throw .refused(error)
        }
    }

    private func abandon(
        _ id: RunID, in conversation: ConversationID, by principal: Principal
    ) async {
        guard let owner = services.owners.withLock({ $0[conversation] }) else { return }
        do throws(OwnerError) {
            try await owner.abandon(id, by: principal.id)
        } catch {
            services.configuration.log("A call whose caller has gone goes on: '\(id)'.")
        }
    }

    /// Waits for a run wherever it is driven.
    func wait(
        for id: RunID, in conversation: ConversationID, until deadline: Int64?, since: RunStatus?
    ) async throws(EngineError) -> RunSnapshot {
        while true {
            // Watched anew each time: a stream whose reader was cancelled has ended.
            let news = services.observers.observe(id)
            let snapshot = try await snapshot(of: id, in: conversation)
            let now = services.clock.now()
            let isNews = since.map { $0 != snapshot.status } ?? snapshot.isSettled
            if isNews || snapshot.status.isEnded || deadline.map({ now >= $0 }) ?? false {
                return snapshot
            }
            let left = deadline.map { Duration.milliseconds($0 - now) } ?? Self.pollInterval
            await services.pause(min(left, Self.pollInterval), or: news)
            if Task.isCancelled { throw .stopping() }
        }
    }
}
