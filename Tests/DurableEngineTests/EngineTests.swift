import DurableEngine
import DurableLog
import DurableSecurity
import DurableTesting
import OrderedJSON
import Testing

// Its tests share the cores with those that start processes, and move a clock in small strides.
@Suite("Engine", .timeLimit(.minutes(5)))
struct EngineTests {
    let bench = EngineBench()

    @Test("a direct call gives its result and one run", arguments: EffectKind.allCases)
    func directCall(effect: EffectKind) async throws {
        let tool = ScriptedTool(ToolFacts(name: "t", effect: effect))
        let process = try await bench.process("p1", ScriptedTools([tool]), seed: 1)
        let snapshot = try await bench.running([process.engine]) {
            try await process.engine.call(.call("t", ["a": 1]), by: .alice)
        }
        #expect(snapshot.status == .completed)
        #expect(snapshot.callResult == ScriptedTool.text("done"))
        #expect(tool.invocations.count == 1)
        #expect(tool.invocations.first?.arguments == ["a": 1])
        #expect(
            try await bench.eventTypes(process.store) == [
                "run.submitted", "run.started", "step.decided", "effect.intent", "effect.result",
                "run.ended",
            ])
        let lease = try await process.store.lease(of: snapshot.conversationID)
        #expect(lease?.holder == nil)
    }

    @Test("a retry by request id finds the first run, and other arguments are refused")
    func requestID() async throws {
        let tool = ScriptedTool(ToolFacts(name: "t", effect: .external))
        let process = try await bench.process("p1", ScriptedTools([tool]), seed: 1)
        try await bench.running([process.engine]) {
            let first = try await process.engine.call(
                .call("t", ["a": 1], requestID: "r"), by: .alice)
            let again = try await process.engine.call(
                .call("t", ["a": 1], requestID: "r"), by: .alice)
            #expect(first.id == again.id)
            #expect(again.callResult == ScriptedTool.text("done"))
            await #expect {
                try await process.engine.call(.call("t", ["a": 2], requestID: "r"), by: .alice)
            } throws: {
                ($0 as? EngineError)?.code == .requestIDReused
            }
            let other = try await process.engine.call(
                .call("t", ["a": 2], requestID: "r"), by: .bob)
            #expect(other.id != first.id)
        }
        #expect(tool.invocations.count == 2)
    }

    @Test("a script runs its steps in order and takes values from earlier results")
    func script() async throws {
        let echo = ScriptedTool(ToolFacts(name: "echo", effect: .pure)) { invocation in
            .result(
                ["structuredContent": .object(invocation.arguments)], isError: false)
        }
        let process = try await bench.process("p1", ScriptedTools([echo]), seed: 1)
        let request = try RunRequest.script(
            """
            {"steps": [{"assistant": "hello"}, {"tool": "echo", "arguments": {"x": 1.50}},
             {"tool": "echo", "arguments": {
                "y": "${steps.1.output#/structuredContent/x}",
                "z": "is ${steps.1.output#/structuredContent/x}!"}},
             {"finish": "bye"}]}
            """)
        let snapshot = try await bench.running([process.engine]) {
            let id = try await process.engine.submit(request, by: .alice)
            return try await process.engine.wait(
                for: id, visibleTo: .alice, until: nil, since: nil)
        }
        #expect(snapshot.status == .completed)
        #expect(snapshot.finalText == "bye")
        #expect(snapshot.run.steps.map(\.kind) == ["assistant", "tool", "tool", "finish"])
        let arguments = JSONValue.object(echo.invocations.last?.arguments ?? [:])
        #expect(arguments.text == #"{"y":1.50,"z":"is 1.50!"}"#)
    }

    @Test("an approval holds the call back, survives its process, and is decided once")
    func approval() async throws {
        let facts = ToolFacts(name: "send", effect: .external, approvalReason: "it sends")
        let tool = ScriptedTool(facts)
        let first = try await bench.process("p1", ScriptedTools([tool]), seed: 1)
        let waiting = try await bench.running([first.engine]) {
            try await first.engine.call(.call("send", ["to": "x"]), by: .alice)
        }
        #expect(waiting.status == .waiting)
        #expect(tool.invocations.isEmpty)
        first.memory.kill()

        let second = try await bench.process("p2", ScriptedTools([tool]), seed: 2)
        try await bench.running([second.engine]) {
            let page = try await second.engine.pendingApprovals(visibleTo: .approver)
            let approval = try #require(page.entries.first)
            #expect(approval.call?.arguments == ["to": "x"])
            let answer = ApprovalAnswer(
                approvalID: approval.request.approvalID, approves: true, approver: .approver,
                argumentsDigest: approval.request.argumentsDigest)
            var byAgent = answer
            byAgent.approver = .alice
            await #expect { try await second.engine.answer(byAgent) } throws: {
                ($0 as? EngineError)?.code == .notAllowed
            }
            var forOthers = answer
            forOthers.argumentsDigest = "hmac-sha256:00"
            await #expect { try await second.engine.answer(forOthers) } throws: {
                ($0 as? EngineError)?.code == .digestMismatch
            }
            _ = try await second.engine.answer(answer)
            await #expect { try await second.engine.answer(answer) } throws: {
                ($0 as? EngineError)?.code == .alreadyResolved
            }
            let done = try await second.engine.wait(
                for: waiting.id, visibleTo: .alice, until: nil, since: nil)
            #expect(done.status == .completed)
        }
        #expect(tool.invocations.count == 1)
    }

    @Test("a denial fails the run")
    func denial() async throws {
        let facts = ToolFacts(
            name: "send", effect: .external, approvalReason: "it sends", risk: .high)
        let tool = ScriptedTool(facts)
        let process = try await bench.process("p1", ScriptedTools([tool]), seed: 1)
        try await bench.running([process.engine]) {
            let waiting = try await process.engine.call(.call("send"), by: .alice)
            let id = try #require(waiting.approval?.request.approvalID)
            var answer = ApprovalAnswer(
                approvalID: id, approves: false, approver: .approver, reason: "not today")
            await #expect { try await process.engine.answer(answer) } throws: {
                ($0 as? EngineError)?.code == .notAllowed
            }
            answer.approver = .strongApprover
            _ = try await process.engine.answer(answer)
            let done = try await process.engine.wait(
                for: waiting.id, visibleTo: .alice, until: nil, since: nil)
            #expect(done.status == .failed)
            #expect(done.error?.contains("not today") == true)
        }
        #expect(tool.invocations.isEmpty)
    }

    @Test("an external call whose answer is lost waits for a person, who settles it")
    func unknown() async throws {
        let tool = ScriptedTool(ToolFacts(name: "send", effect: .external)) { invocation in
            invocation.attempt == 1
                ? .unknown(ToolFailure(message: "no answer"))
                : .result(ScriptedTool.text("sent"), isError: false)
        }
        let process = try await bench.process("p1", ScriptedTools([tool]), seed: 1)
        try await bench.running([process.engine]) {
            let first = try await process.engine.call(.call("send"), by: .alice)
            #expect(first.status == .waiting)
            #expect(first.approval?.request.purpose == .reconcile)
            let second = try await process.engine.call(.call("send", ["n": 2]), by: .alice)

            let output = ScriptedTool.text("seen in the mailbox")
            let done = try #require(first.approval?.request.approvalID)
            _ = try await process.engine.answer(
                ApprovalAnswer(
                    approvalID: done, approves: true, approver: .approver, output: output))
            let settled = try await process.engine.wait(
                for: first.id, visibleTo: .alice, until: nil, since: nil)
            #expect(settled.status == .completed)
            #expect(settled.callResult == output)

            let notDone = try #require(second.approval?.request.approvalID)
            _ = try await process.engine.answer(
                ApprovalAnswer(approvalID: notDone, approves: false, approver: .approver))
            let again = try await process.engine.wait(
                for: second.id, visibleTo: .alice, until: nil, since: nil)
            #expect(again.callResult == ScriptedTool.text("sent"))
        }
        #expect(tool.invocations.count == 3)
        #expect(tool.invocations[1].idempotencyKey == tool.invocations[2].idempotencyKey)
        #expect(tool.invocations[0].idempotencyKey != tool.invocations[1].idempotencyKey)
    }

    @Test("a process that dies in a body is succeeded by another", arguments: EffectKind.allCases)
    func takeover(effect: EffectKind) async throws {
        let door = Door()
        let stuck = ScriptedTool(ToolFacts(name: "t", effect: effect)) { _ in
            await door.pass()
            return .unknown(ToolFailure(message: "too late"))
        }
        let first = try await bench.process("p1", ScriptedTools([stuck]), seed: 1)
        let request = try RunRequest.script(#"{"steps": [{"tool": "t"}, {"finish": "ok"}]}"#)
        let id = try await bench.running([first.engine]) {
            let id = try await first.engine.submit(request, by: .alice)
            await door.arrival()
            first.memory.kill()
            door.open()
            return id
        }
        let tool = ScriptedTool(ToolFacts(name: "t", effect: effect))
        let second = try await bench.process("p2", ScriptedTools([tool]), seed: 2)
        let end = try await bench.running([second.engine]) {
            try await second.engine.wait(for: id, visibleTo: .alice, until: nil, since: nil)
        }
        switch effect {
        case .pure, .idempotent:
            #expect(end.status == .completed)
            #expect(
                tool.invocations.map(\.idempotencyKey) == stuck.invocations.map(\.idempotencyKey))
        case .external:
            #expect(end.status == .waiting)
            #expect(end.approval?.request.purpose == .reconcile)
            #expect(tool.invocations.isEmpty)
        }
        let epochs = try await second.store.events(after: 0, limit: 100).map(\.epoch)
        #expect(Set(epochs) == [1, 2])
    }

    @Test("an approval given elsewhere lets the run go on here")
    func commandLineApproval() async throws {
        let facts = ToolFacts(name: "send", effect: .external, approvalReason: "it sends")
        let tool = ScriptedTool(facts)
        let server = try await bench.process("server", ScriptedTools([tool]), seed: 1)
        let shell = try await bench.process("shell", ScriptedTools([]), seed: 2, runsWork: false)
        let end = try await bench.running([server.engine]) {
            let waiting = try await server.engine.call(.call("send"), by: .alice)
            let id = try #require(waiting.approval?.request.approvalID)
            _ = try await shell.engine.answer(
                ApprovalAnswer(approvalID: id, approves: true, approver: .approver))
            return try await server.engine.wait(
                for: waiting.id, visibleTo: .alice, until: nil, since: nil)
        }
        #expect(end.status == .completed)
        #expect(tool.invocations.count == 1)
    }

    @Test("a command for a conversation that is busy elsewhere is carried out there")
    func delegation() async throws {
        let door = Door()
        let slow = ScriptedTool(ToolFacts(name: "slow", effect: .pure)) { _ in
            await door.pass()
            return .result(ScriptedTool.text("done"), isError: false)
        }
        let first = try await bench.process("p1", ScriptedTools([slow]), seed: 1)
        let second = try await bench.process("p2", ScriptedTools([slow]), seed: 2)
        let script = #"{"steps": [{"tool": "slow"}, {"tool": "slow"}]}"#
        let request = try RunRequest.script(script)
        try await bench.running([first.engine, second.engine]) {
            let id = try await first.engine.submit(request, by: .alice)
            await door.arrival()
            try await second.engine.cancel(id, by: .alice)
            door.open()
            let end = try await second.engine.wait(
                for: id, visibleTo: .alice, until: nil, since: nil)
            #expect(end.status == .cancelled)
        }
        #expect(slow.invocations.count == 1)
    }

    @Test("a run is not taken up where its upstream is missing")
    func missingUpstream() async throws {
        let door = Door()
        var facts = ToolFacts(name: "far", effect: .pure)
        facts.upstream = .init(name: "far", fingerprint: "f")
        let stuck = ScriptedTool(facts) { _ in
            await door.pass()
            return .unknown(ToolFailure(message: "too late"))
        }
        let first = try await bench.process(
            "p1", ScriptedTools([stuck], upstreams: ["far"]), seed: 1)
        let request = try RunRequest.script(#"{"steps": [{"tool": "far"}]}"#)
        let id = try await bench.running([first.engine]) {
            let id = try await first.engine.submit(request, by: .alice)
            await door.arrival()
            first.memory.kill()
            door.open()
            return id
        }
        let tool = ScriptedTool(facts)
        let without = try await bench.process("p2", ScriptedTools([tool]), seed: 2)
        let with = try await bench.process(
            "p3", ScriptedTools([tool], upstreams: ["far"]), seed: 3)
        try await bench.running([without.engine]) {
            let deadline = bench.clock.now() + 3000
            let still = try await without.engine.wait(
                for: id, visibleTo: .alice, until: deadline, since: nil)
            #expect(still.status == .running)
        }
        let end = try await bench.running([without.engine, with.engine]) {
            try await with.engine.wait(for: id, visibleTo: .alice, until: nil, since: nil)
        }
        #expect(end.status == .completed)
        #expect(tool.invocations.count == 1)
    }

    @Test("an approval that nobody decides is addressed to others, and then stays")
    func escalation() async throws {
        let process = try await bench.process("p1", ScriptedTools([]), seed: 1)
        let soon = Timestamp(milliseconds: bench.clock.now() + 5000).text
        let plain = try RunRequest.script(
            #"{"steps": [{"approval": "go?", "expiresAt": "\#(soon)"}]}"#)
        let escalating = try RunRequest.script(
            #"{"steps": [{"approval": "go?", "expiresAt": "\#(soon)", "escalateTo": "dora"}]}"#)
        try await bench.running([process.engine]) {
            let failing = try await process.engine.submit(plain, by: .alice)
            let waiting = try await process.engine.submit(escalating, by: .alice)
            var end = try await process.engine.wait(
                for: failing, visibleTo: .alice, until: nil, since: nil)
            #expect(end.status == .waiting)
            while !end.status.isEnded {
                end = try await process.engine.wait(
                    for: failing, visibleTo: .alice, until: nil, since: end.status)
            }
            #expect(end.status == .failed)
            var snapshot = try await process.engine.run(waiting, visibleTo: .alice)
            while snapshot.approval?.audience == nil {
                try await bench.clock.sleep(for: .milliseconds(100))
                snapshot = try await process.engine.run(waiting, visibleTo: .alice)
            }
            let id = try #require(snapshot.approval?.request.approvalID)
            await #expect {
                try await process.engine.answer(
                    ApprovalAnswer(approvalID: id, approves: true, approver: .approver))
            } throws: {
                ($0 as? EngineError)?.code == .notAllowed
            }
            _ = try await process.engine.answer(
                ApprovalAnswer(approvalID: id, approves: true, approver: .strongApprover))
        }
    }

    @Test("no principal sees the runs of another")
    func isolation() async throws {
        let tool = ScriptedTool(ToolFacts(name: "t", effect: .pure))
        let process = try await bench.process("p1", ScriptedTools([tool]), seed: 1)
        try await bench.running([process.engine]) {
            let mine = try await process.engine.call(.call("t"), by: .alice)
            await #expect { try await process.engine.run(mine.id, visibleTo: .bob) } throws: {
                ($0 as? EngineError)?.code == .notFound
            }
            await #expect { try await process.engine.cancel(mine.id, by: .bob) } throws: {
                ($0 as? EngineError)?.code == .notFound
            }
            #expect(try await process.engine.runs(visibleTo: .bob).entries.isEmpty)
            #expect(try await process.engine.runs(visibleTo: .alice).entries.count == 1)
        }
    }

    @Test("a process that stops lets its call finish, and hands the rest to another")
    func gracefulStop() async throws {
        let door = Door()
        let slow = ScriptedTool(ToolFacts(name: "slow", effect: .external)) { _ in
            await door.pass()
            return .result(ScriptedTool.text("done"), isError: false)
        }
        let first = try await bench.process("p1", ScriptedTools([slow]), seed: 1)
        let script = #"{"steps": [{"tool": "slow"}, {"tool": "slow"}, {"finish": "ok"}]}"#
        let request = try RunRequest.script(script)
        let id = try await bench.clock.running {
            async let running: Void = first.engine.run()
            let id = try await first.engine.submit(request, by: .alice)
            await door.arrival()
            await first.engine.stop()
            door.open()
            await running
            return id
        }
        #expect(slow.invocations.count == 1)
        await #expect { try await first.engine.submit(request, by: .alice) } throws: {
            ($0 as? EngineError)?.code == .stopping
        }
        let second = try await bench.process("p2", ScriptedTools([slow]), seed: 2)
        let end = try await bench.running([second.engine]) {
            try await second.engine.wait(for: id, visibleTo: .alice, until: nil, since: nil)
        }
        #expect(end.status == .completed)
        #expect(slow.invocations.count == 2)
        #expect(try await !bench.eventTypes(second.store).contains("run.recovered"))
    }

    @Test("the same request made twice at once is one run", arguments: EffectKind.allCases)
    func concurrentRetry(effect: EffectKind) async throws {
        let door = Door()
        let slow = ScriptedTool(ToolFacts(name: "slow", effect: effect)) { _ in
            await door.pass()
            return .result(ScriptedTool.text("done"), isError: false)
        }
        let process = try await bench.process("p1", ScriptedTools([slow]), seed: 1)
        let ids = try await bench.running([process.engine]) {
            async let first = process.engine.call(.call("slow", requestID: "r"), by: .alice)
            await door.arrival()
            async let second = process.engine.call(.call("slow", requestID: "r"), by: .alice)
            for _ in 0..<100 { await Task.yield() }
            door.open()
            return try await [first.id, second.id]
        }
        #expect(ids[0] == ids[1])
        #expect(slow.invocations.count == 1)
    }

    @Test("a call whose caller goes is cancelled only while it cannot have acted")
    func abandonment() async throws {
        let doors = [EffectKind.pure: Door(), .external: Door()]
        let tools = doors.map { effect, door in
            ScriptedTool(ToolFacts(name: effect.rawValue, effect: effect)) { _ in
                await door.pass()
                return .result(ScriptedTool.text("done"), isError: false)
            }
        }
        let process = try await bench.process("p1", ScriptedTools(tools), seed: 1)
        try await bench.running([process.engine]) {
            for (effect, door) in doors {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        // It is cancelled; what became of the run is looked at below.
                        _ = try? await process.engine.call(.call(effect.rawValue), by: .alice)
                    }
                    await door.arrival()
                    group.cancelAll()
                    door.open()
                    try await group.waitForAll()
                }
                var status: RunStatus?
                while status == nil || status == .running || status == .cancelling {
                    try await bench.clock.sleep(for: .milliseconds(50))
                    let runs = try await process.engine.runs(visibleTo: .alice).entries
                    status = runs.first { $0.tool == effect.rawValue }?.status
                }
                let expected: RunStatus = effect == .pure ? .cancelled : .completed
                #expect(status == expected, "\(effect)")
            }
        }
    }

    @Test("a retry finds its run though the tool is gone")
    func retryWithoutTool() async throws {
        let tool = ScriptedTool(ToolFacts(name: "t", effect: .external))
        let first = try await bench.process("p1", ScriptedTools([tool]), seed: 1)
        let made = try await bench.running([first.engine]) {
            try await first.engine.call(.call("t", requestID: "r"), by: .alice)
        }
        let second = try await bench.process("p2", ScriptedTools([]), seed: 2)
        try await bench.running([second.engine]) {
            let found = try await second.engine.call(.call("t", requestID: "r"), by: .alice)
            #expect(found.id == made.id)
            #expect(found.callResult == made.callResult)
            await #expect {
                try await second.engine.call(.call("t", ["a": 1], requestID: "r"), by: .alice)
            } throws: {
                ($0 as? EngineError)?.code == .requestIDReused
            }
        }
    }

    @Test("a direct call whose tool is withheld is told so")
    func withheld() async throws {
        let tool = ScriptedTool(
            ToolFacts(name: "t", effect: .external, approvalReason: "asked"))
        let process = try await bench.process("p1", ScriptedTools([tool]), seed: 1)
        try await bench.running([process.engine]) {
            let waiting = try await process.engine.call(.call("t"), by: .alice)
            var facts = tool.facts
            facts.upstream = .init(name: "elsewhere", fingerprint: "f")
            tool.facts = facts
            let id = try #require(waiting.approval?.request.approvalID)
            _ = try await process.engine.answer(
                ApprovalAnswer(approvalID: id, approves: true, approver: .approver))
            var end = try await process.engine.run(waiting.id, visibleTo: .alice)
            while !end.status.isEnded {
                end = try await process.engine.wait(
                    for: waiting.id, visibleTo: .alice, until: nil, since: end.status)
            }
            #expect(end.error?.contains("elsewhere") == true)
        }
        #expect(tool.invocations.isEmpty)
    }

    @Test("a run that only has to end does so where it is decided, without its upstreams")
    func endsWithoutTools() async throws {
        var facts = ToolFacts(name: "send", effect: .external)
        facts.upstream = .init(name: "far", fingerprint: "f")
        let tool = ScriptedTool(facts) { _ in .unknown(ToolFailure(message: "no answer")) }
        let server = try await bench.process(
            "server", ScriptedTools([tool], upstreams: ["far"]), seed: 1)
        let waiting = try await bench.running([server.engine]) {
            try await server.engine.call(.call("send"), by: .alice)
        }
        server.memory.kill()
        let shell = try await bench.process("shell", ScriptedTools([]), seed: 2, runsWork: false)
        let id = try #require(waiting.approval?.request.approvalID)
        _ = try await shell.engine.answer(
            ApprovalAnswer(approvalID: id, approves: true, approver: .approver))
        let end = try await shell.engine.run(waiting.id, visibleTo: .alice)
        #expect(end.status == .completed)
    }

    @Test("one who waits looks again at intervals, and does not spin between them")
    func patientWait() async throws {
        let process = try await bench.process("p1", ScriptedTools([]), seed: 1)
        let request = try RunRequest.script(#"{"steps": [{"approval": "go?"}]}"#)
        let id = try await bench.running([process.engine]) {
            let id = try await process.engine.submit(request, by: .alice)
            _ = try await process.engine.wait(
                for: id, visibleTo: .alice, until: nil, since: nil)
            return id
        }
        let clock = bench.clock
        let (before, deadline) = (clock.sleepCount, clock.now() + 2000)
        async let waited = process.engine.wait(
            for: id, visibleTo: .alice, until: deadline, since: .waiting)
        while clock.now() < deadline {
            while clock.sleeperCount == 0 { await Task.yield() }
            for _ in 0..<100 { await Task.yield() }
            clock.advance(by: .milliseconds(250))
        }
        #expect(try await waited.status == .waiting)
        #expect(clock.sleepCount - before <= 9)
    }
}
