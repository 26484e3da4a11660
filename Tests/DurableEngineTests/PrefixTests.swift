import DurableEngine
import DurableLog
import DurableSecurity
import DurableTesting
import OrderedJSON
import Testing

/// One kind of run, and the tools it needs.
struct PrefixCase: CustomTestStringConvertible, Sendable {
    var name: String
    var script: String
    var tools: @Sendable () -> [ScriptedTool]

    var testDescription: String { name }

    static let corpus: [PrefixCase] = EffectKind.allCases.flatMap { effect in
        [
            PrefixCase(
                name: "\(effect) calls that succeed",
                script: #"{"steps": [{"tool": "t"}, {"tool": "t"}, {"finish": "ok"}]}"#,
                tools: { [ScriptedTool(ToolFacts(name: "t", effect: effect))] }),
            PrefixCase(
                name: "\(effect) calls behind an approval",
                script: #"{"steps": [{"tool": "t"}, {"approval": "go?"}, {"tool": "t"}]}"#,
                tools: {
                    let reason = "asked"
                    return [
                        ScriptedTool(ToolFacts(name: "t", effect: effect, approvalReason: reason))
                    ]
                }),
            PrefixCase(
                name: "\(effect) calls that fail before they act, at first",
                script: #"{"steps": [{"tool": "t"}, {"finish": "ok"}]}"#,
                tools: {
                    [
                        ScriptedTool(ToolFacts(name: "t", effect: effect)) { invocation in
                            let failure = ToolFailure(message: "refused", isRetryable: true)
                            return invocation.attempt == 1
                                ? .before(failure)
                                : .result(ScriptedTool.text("done"), isError: false)
                        }
                    ]
                }),
            PrefixCase(
                name: "\(effect) calls whose first answer is lost",
                script: #"{"steps": [{"tool": "t"}, {"finish": "ok"}]}"#,
                tools: {
                    [
                        ScriptedTool(ToolFacts(name: "t", effect: effect)) { invocation in
                            invocation.attempt == 1
                                ? .unknown(ToolFailure(message: "lost"))
                                : .result(ScriptedTool.text("done"), isError: false)
                        }
                    ]
                }),
            PrefixCase(
                name: "\(effect) calls that report an error",
                script: #"{"steps": [{"assistant": "hi"}, {"tool": "t"}, {"finish": "ok"}]}"#,
                tools: {
                    [
                        ScriptedTool(ToolFacts(name: "t", effect: effect)) { _ in
                            .result(ScriptedTool.text("no"), isError: true)
                        }
                    ]
                }),
        ]
    }
}

@Suite("Every prefix of a log", .timeLimit(.minutes(5)))
struct PrefixTests {
    /// Runs a case from the beginning, with a person who approves everything.
    private func recorded(_ test: PrefixCase) async throws -> [StoredEvent] {
        let bench = EngineBench()
        let process = try await bench.process("first", ScriptedTools(test.tools()), seed: 7)
        let request = try RunRequest.script(test.script)
        try await bench.running([process.engine]) {
            let id = try await process.engine.submit(request, by: .alice)
            _ = try await finish(id, process.engine)
        }
        return try await process.store.events(after: 0, limit: 1000)
    }

    /// Approves what is asked until the run has ended.
    private func finish(_ id: RunID, _ engine: Engine) async throws -> RunSnapshot {
        while true {
            let snapshot = try await engine.wait(
                for: id, visibleTo: .alice, until: nil, since: nil)
            if snapshot.status.isEnded { return snapshot }
            let approval = try #require(snapshot.approval)
            _ = try await engine.answer(
                ApprovalAnswer(
                    approvalID: approval.request.approvalID, approves: true,
                    approver: .strongApprover))
        }
    }

    /// Puts the first events of a log into a store whose process then dies.
    private func bench(with prefix: ArraySlice<StoredEvent>) async throws -> EngineBench {
        let bench = EngineBench()
        let old = MemoryEventStore(
            backing: bench.backing, processID: ProcessID(rawValue: "old"))
        _ = try old.setMetadataIfAbsent("secret", Self.secret)
        let conversation = try #require(prefix.first?.conversation)
        let keys = StoreKeys(secret: Self.secret)
        var state = ConversationState(id: conversation)
        var digest = EventChain.start
        for stored in prefix {
            var event = stored.event
            digest = EventChain.digest(
                after: digest, conversation: conversation, sequence: stored.sequence, epoch: 1,
                type: event.type, version: event.version, time: event.time,
                leaf: keys.auditLeaf(event.payload))
            event.digest = digest
            state.fold(try EngineEvent(event), at: event.time)
            let isFirst = stored.sequence == 1
            let append = Append(
                conversation: conversation, expectedSequence: stored.sequence - 1, epoch: 1,
                events: [event], lease: isFirst ? .open(old.processID) : .keep)
            try await (old as any EventStore).commit(
                Commit(appends: [append], writes: state.projectionWrites()))
        }
        old.kill()
        return bench
    }

    private static let secret = [UInt8](repeating: 42, count: 32)

    @Test(
        "recovers to a run that ends, and never repeats an external call",
        arguments: PrefixCase.corpus)
    func recovers(test: PrefixCase) async throws {
        let log = try await recorded(test)
        let whole = log.map(\.event.type)
        for length in 1...log.count {
            let prefix = log.prefix(length)
            let bench = try await bench(with: prefix)
            let tools = test.tools()
            let process = try await bench.process("new", ScriptedTools(tools), seed: 8)
            let id = try EngineEvent(log[0].event).runID
            let end = try await bench.running([process.engine]) {
                try await finish(id, process.engine)
            }
            #expect(end.status.isEnded, "after \(length) of \(whole)")
            try checkNoRepeat(prefix, tools, length)
            try await ProjectionProof(process).check(end.conversationID)
        }
    }

    /// An external call whose intent stands in the prefix, and whose outcome does not, must not
    /// have been made again: the person said that it had happened.
    private func checkNoRepeat(
        _ prefix: ArraySlice<StoredEvent>, _ tools: [ScriptedTool], _ length: Int
    ) throws {
        var open: Set<String> = []
        for stored in prefix {
            switch try EngineEvent(stored.event) {
            case .effectIntent(let intent) where intent.effect == .external:
                open.insert(intent.key)
            case .effectRetry, .effectResult: open.removeAll()
            default: break
            }
        }
        let started = tools.flatMap(\.invocations).map(\.idempotencyKey)
        #expect(open.isDisjoint(with: started), "after \(length) events")
    }
}
