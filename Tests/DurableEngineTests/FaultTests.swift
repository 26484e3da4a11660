import DurableEngine
import DurableLog
import DurableSecurity
import DurableTesting
import OrderedJSON
import Synchronization
import Testing

@Suite("Every fault of a store", .timeLimit(.minutes(5)))
struct FaultTests {
    private static let failures: [FailingEventStore.Failure] = [
        .refused, .unknownNotDone, .unknownDone, .deadBefore, .deadAfter,
    ]

    @Test(
        "leaves one run that ends, and no external call twice", arguments: PrefixCase.corpus,
        failures)
    func fault(test: PrefixCase, failure: FailingEventStore.Failure) async throws {
        var number = 0
        while try await round(test, failure, at: number) { number += 1 }
        #expect(number >= 3, "a run writes more often than that")
    }

    @Test("of longer than a result is kept waiting for loses no run", arguments: [false, true])
    func outage(closesInIt: Bool) async throws {
        let bench = EngineBench()
        let memory = MemoryEventStore(
            backing: bench.backing, processID: ProcessID(rawValue: "first"))
        let isOut = Mutex(false)
        let store = FailingEventStore(memory) { _ in isOut.withLock { $0 } ? .refused : nil }
        let tool = ScriptedTool(ToolFacts(name: "t", effect: .idempotent)) { _ in
            isOut.withLock { $0 = bench.log.withLock(\.isEmpty) }
            return .result(ScriptedTool.text("done"), isError: false)
        }
        let tools = ScriptedTools([tool])
        let engine = try #require(await opened(store, tools, bench))
        let request = try RunRequest.script(#"{"steps": [{"tool": "t"}]}"#)
        let id = try await bench.running([engine]) {
            let id = try await engine.submit(request, by: .alice)
            while !bench.log.withLock({ $0.contains { $0.hasPrefix("Cannot take over") } }) {
                try await bench.clock.sleep(for: .milliseconds(100))
            }
            if closesInIt { return id }
            isOut.withLock { $0 = false }
            let end = try await engine.wait(for: id, visibleTo: .alice, until: nil, since: nil)
            #expect(end.status == .completed)
            return id
        }
        await store.close()
        guard closesInIt else { return }
        let second = try await bench.process("second", tools, seed: 2)
        let end = try await bench.running([second.engine]) {
            try await second.engine.wait(for: id, visibleTo: .alice, until: nil, since: nil)
        }
        #expect(end.status == .completed)
    }

    /// Runs a case with the failure at one operation; false where that was never reached.
    private func round(
        _ test: PrefixCase, _ failure: FailingEventStore.Failure, at number: Int
    ) async throws -> Bool {
        let bench = EngineBench()
        let memory = MemoryEventStore(
            backing: bench.backing, processID: ProcessID(rawValue: "first"))
        let store = FailingEventStore(memory) { $0 == number ? failure : nil }
        let tools = test.tools()
        let first = ScriptedTools(tools)
        let request = try RunRequest.script(test.script, requestID: "r")
        if let engine = await opened(store, first, bench) {
            try await bench.running([engine]) {
                _ = await attempt(request, engine, bench.clock, while: { !store.isDead })
            }
        }
        memory.kill()
        let second = try await bench.process("second", first, seed: 2)
        let end = try await bench.running([second.engine]) {
            await attempt(request, second.engine, bench.clock, while: { true })
        }
        let place = "\(test.name), \(failure) at \(number): \(bench.log.withLock { $0 })"
        let snapshot = try #require(end, "\(place)")
        #expect(snapshot.status.isEnded, "\(place)")
        let runs = try await second.engine.runs(visibleTo: .alice).entries
        #expect(runs.map(\.runID) == [snapshot.id], "\(place)")
        try await checkBodies(tools, snapshot, place)
        try await ProjectionProof(second).check(snapshot.conversationID)
        return store.operations > number
    }

    private func opened(
        _ store: FailingEventStore, _ tools: ScriptedTools, _ bench: EngineBench
    ) async -> Engine? {
        var configuration = EngineConfiguration()
        configuration.log = { line in bench.log.withLock { $0.append(line) } }
        for _ in 0..<3 where !store.isDead {
            let engine = try? await Engine.open(  // A fault at the opening is tried again.
                store: store, tools: tools, clock: bench.clock,
                identifiers: SeededIdentifiers(seed: 1), configuration: configuration)
            if let engine { return engine }
        }
        return nil
    }

    /// A client that repeats its request, and a person who says yes, until the run has ended.
    private func attempt(
        _ request: RunRequest, _ engine: Engine, _ clock: ManualClock,
        while goesOn: @Sendable () -> Bool
    ) async -> RunSnapshot? {
        while goesOn() {
            do {
                let id = try await engine.submit(request, by: .alice)
                let now = try await engine.run(id, visibleTo: .alice)
                if now.status.isEnded { return now }
                if let approval = now.approval {
                    _ = try await engine.answer(
                        ApprovalAnswer(
                            approvalID: approval.request.approvalID, approves: true,
                            approver: .strongApprover))
                }
                let deadline = clock.now() + 1000
                _ = try await engine.wait(
                    for: id, visibleTo: .alice, until: deadline, since: now.status)
            } catch {
                // A client tries again; the loop ends with its process.
                await Task.yield()
            }
        }
        return nil
    }

    /// The person said of every unknown call that it had happened, so none may have been repeated
    /// once its body had come as far as acting.
    private func checkBodies(
        _ tools: [ScriptedTool], _ snapshot: RunSnapshot, _ place: String
    ) async throws {
        for tool in tools where tool.facts.effect == .external {
            var acted: [String: Int] = [:]
            for invocation in tool.invocations {
                if case .before = await tool.outcome(of: invocation) { continue }
                acted[invocation.idempotencyKey, default: 0] += 1
            }
            #expect(acted.values.allSatisfy { $0 == 1 }, "\(place)")
        }
        let keys = tools.filter { $0.facts.effect != .pure }.flatMap(\.invocations)
            .map(\.idempotencyKey)
        let calls = snapshot.run.steps.compactMap(\.call?.key)
        #expect(Set(keys).isSubset(of: calls), "\(place)")
    }
}

/// Invariant 7: the projections are what the log says.
struct ProjectionProof {
    let process: EngineBench.Process

    init(_ process: EngineBench.Process) { self.process = process }

    func check(_ conversation: ConversationID) async throws {
        let state = try await ConversationLog(store: process.store, keys: process.engine.keys)
            .state(of: conversation)
        for case .put(let table, let expected) in state.projectionWrites() {
            let key = table == "runs" ? "runId" : "approvalId"
            let cell = try #require(expected[key])
            let rows = try await process.store.rows(
                TableQuery(table, where: [key: .equals(cell)], limit: 2))
            #expect(rows == [expected])
        }
    }
}
