internal import DurableLog
internal import OrderedJSON
internal import Synchronization

/// What every process does beside its own work: it takes over from dead processes, takes up what
/// nobody holds, lets approvals expire, and looks into the inboxes of what it holds.
struct Upkeep: Sendable {
    private static let batch = 100
    /// Every so many rounds, what is normally announced is looked for.
    private static let fullRound = 5
    /// How long an answer that nobody fetched is kept, in milliseconds.
    private static let replyAge: Int64 = 3_600_000

    private let services: EngineServices
    private let engine: Engine

    init(_ engine: Engine) {
        self.engine = engine
        services = engine.services
    }

    /// Goes on until its task is cancelled.
    func run() async {
        let (rounds, ring) = AsyncStream.makeStream(
            of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        let services = services
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in services.store.wakes { ring.yield(true) }
            }
            group.addTask {
                var count = 0
                while !Task.isCancelled {
                    ring.yield(count % Self.fullRound == 0)
                    count += 1
                    do {
                        try await services.clock.sleep(
                            for: services.configuration.upkeepInterval)
                    } catch {
                        break  // Cancelled: the engine ends.
                    }
                }
                ring.finish()
            }
            for await isFull in rounds where !services.stopping { await round(isFull) }
            group.cancelAll()
        }
    }

    private func round(_ isFull: Bool) async {
        do {
            try await takeOverFromTheDead()
            try await takeUpUnclaimed()
            if isFull {
                await takeUpLost()
                try await lookIntoInboxes()
                try await expireApprovals()
                try await dropOldReplies()
            }
        } catch {
            services.configuration.log("Upkeep will try again: \(error.message)")
        }
    }

    private func takeOverFromTheDead() async throws(StoreError) {
        for process in try await services.store.processes()
        where process != services.store.processID {
            if await services.store.isAlive(process) { continue }
            let leases = try await services.store.leases(heldBy: process, limit: Self.batch)
            for lease in leases where !services.stopping {
                await engine.adopt(lease.conversation, from: process)
            }
            if leases.isEmpty { try await services.store.forget(process) }
        }
    }

    private func takeUpUnclaimed() async throws(StoreError) {
        let rows = try await services.store.rows(
            TableQuery(EngineTables.unclaimed.name, orderBy: ["since"], limit: Self.batch))
        for row in rows where canServe(row) {
            guard let id = row.text("conversation"), !services.stopping else { continue }
            let conversation = ConversationID(rawValue: id)
            let isHere = services.owners.withLock { $0[conversation] != nil }
            if !isHere { await engine.adopt(conversation, from: nil) }
        }
        for conversation in try await services.store.unownedInboxes(limit: Self.batch) {
            await engine.adopt(conversation, from: nil)
        }
    }

    /// Whether this process has every upstream that a row's work is pinned to.
    private func canServe(_ row: Row) -> Bool {
        guard let text = row.text("upstreams"),
            let list = try? JSONValue(parsing: text).arrayValue  // Unreadable: not for us.
        else { return false }
        return list.allSatisfy { value in
            guard let name = value["name"]?.stringValue,
                let fingerprint = value["fingerprint"]?.stringValue
            else { return false }
            return services.tools.has(.init(name: name, fingerprint: fingerprint))
        }
    }

    /// Takes up what a failed commit left behind, however often the store fails again meanwhile.
    private func takeUpLost() async {
        for conversation in services.lost.withLock({ Array($0.prefix(Self.batch)) }) {
            _ = services.lost.withLock { $0.remove(conversation) }
            if await engine.adopt(conversation, from: services.store.processID) { continue }
            _ = services.lost.withLock { $0.insert(conversation) }
        }
    }

    private func lookIntoInboxes() async throws(StoreError) {
        for owner in services.owners.withLock({ Array($0.values) }) {
            do throws(OwnerError) {
                try await owner.checkInbox()
                engine.drive(owner)
            } catch {
                if case .refused(let error) = error {
                    services.configuration.log("Cannot read an inbox: \(error.message)")
                }
            }
        }
    }

    private func expireApprovals() async throws(StoreError) {
        let due = try await services.store.rows(
            TableQuery(
                EngineTables.approvals.name,
                where: [
                    "status": .equals(.text("pending")),
                    "expiresAt": .less(.integer(services.clock.now() + 1)),
                ],
                orderBy: ["expiresAt"], limit: Self.batch))
        for row in due {
            guard let conversation = row.text("conversation"), let id = row.text("approvalId")
            else { continue }
            do throws(EngineError) {
                _ = try await engine.perform(
                    .expire(ApprovalID(rawValue: id)),
                    in: ConversationID(rawValue: conversation), isNew: false)
            } catch {
                services.configuration.log("Cannot let '\(id)' expire: \(error.message)")
            }
        }
    }

    private func dropOldReplies() async throws(StoreError) {
        let old = try await services.store.rows(
            TableQuery(
                EngineTables.replies.name,
                where: ["time": .less(.integer(services.clock.now() - Self.replyAge))],
                orderBy: ["time"], limit: Self.batch))
        guard !old.isEmpty else { return }
        let deletes = old.compactMap { row in
            row["item"].map {
                TableWrite.delete(table: EngineTables.replies.name, key: ["item": $0])
            }
        }
        try await services.store.commit(Commit(writes: deletes))
    }
}
