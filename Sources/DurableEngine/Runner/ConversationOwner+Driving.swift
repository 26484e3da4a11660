internal import DurableLog

extension ConversationOwner {
    /// What the driver does between two turns.
    private enum Work {
        case attempt(NextStep.Attempt, any EngineTool)
        case reconcile(NextStep.Attempt, any EngineTool)
        case pause(Duration)
        case stop
    }

    /// Takes the conversation as far as it goes; false where that is under way already.
    @discardableResult
    func drive() async -> Bool {
        if isDriving { return false }
        isDriving = true
        defer { isDriving = false }
        do throws(OwnerError) {
            while true {
                switch try await turn() {
                case .stop: return true
                case .pause(let time): await pause(time)
                case .attempt(let attempt, let tool): try await make(attempt, with: tool)
                case .reconcile(let attempt, let tool): try await settle(attempt, with: tool)
                }
            }
        } catch {
            if case .refused(let error) = error {
                services.configuration.log(
                    "Conversation '\(conversation)' was put down: \(error.message)")
            }
            return true
        }
    }

    private func turn() async throws(OwnerError) -> Work {
        await enterTurn()
        defer { leaveTurn() }
        try await load()
        while true {
            if services.stopping { return try await stop() }
            switch state.decideNext(services.decisionInput()) {
            case .events(let events): record(events)
            case .needsTool(let name):
                if let work = try await plan(name) { return work }
            case .attempt(let attempt, let events):
                if let work = try await begin(attempt, events) { return work }
            case .reconcile(let attempt):
                try await flush(.keep)
                switch await services.tools.tool(named: attempt.call.tool) {
                case .found(let tool): return .reconcile(attempt, tool)
                case .absent, .unavailable: return try await lack()
                }
            case .wait(let until):
                try await flush(.keep)
                return .pause(.milliseconds(max(1, until - services.clock.now())))
            case .idle:
                try await flush(.release)
                if isRetired { return .stop }
                try await carryOutInbox()
            }
        }
    }

    /// Gives the lease back at a safe point, for another process to go on.
    private func stop() async throws(OwnerError) -> Work {
        try await flush(state.hasWork ? .handOver : .release)
        return .stop
    }

    private func plan(_ name: String) async throws(OwnerError) -> Work? {
        switch await services.tools.tool(named: name) {
        case .absent(let reason) where isEquipped:
            record(state.decideAbsentTool(reason))
            return nil
        case .unavailable(let reason) where isEquipped && state.active?.isScript == false:
            // Its caller waits, and knows better than we whether to try again.
            record(state.decideAbsentTool(reason))
            return nil
        case .absent, .unavailable: return try await lack()
        case .found(let tool):
            let keys = ConversationKeys(keys: services.keys, conversation: conversation)
            switch state.decideCall(tool.facts, keys: keys, services.decisionInput()) {
            case .events(let events):
                record(events)
                return nil
            case .attempt(let attempt, let events):
                return try await begin(attempt, events, tool)
            case .needsTool, .reconcile, .wait, .idle: return nil
            }
        }
    }

    /// Whether every upstream that the run is pinned to is configured here.
    private var isEquipped: Bool {
        state.active?.submission.upstreams.allSatisfy { services.tools.has($0) } ?? true
    }

    /// A tool is missing: soon it may be here, or another process has it.
    private func lack() async throws(OwnerError) -> Work {
        if isEquipped {
            try await flush(.keep)
            return .pause(.seconds(1))
        }
        try await flush(.handOver)
        await services.wakeOthers()
        return .stop
    }

    /// Makes as much durable as the kind of the call asks, before its body starts.
    private func begin(
        _ attempt: NextStep.Attempt, _ events: [EngineEvent], _ known: (any EngineTool)? = nil
    ) async throws(OwnerError) -> Work? {
        var tool = known
        if tool == nil, case .found(let found) = await services.tools.tool(named: attempt.call.tool)
        {
            tool = found
        }
        guard let tool else { return try await lack() }
        services.configuration.atFailpoint(.beforeIntent, attempt.call.tool)
        record(events)
        let mustBeDurable =
            switch attempt.call.effect {
            case .external: true
            case .idempotent: isUnwritten || attempt.number > 1 || holdsResult
            case .pure: attempt.number > 1 || holdsResult
            }
        if mustBeDurable { try await flush(.keep) }
        services.configuration.atFailpoint(.afterIntent, attempt.call.tool)
        return .attempt(attempt, tool)
    }

    /// Runs the body, and takes its outcome in.
    private func make(
        _ attempt: NextStep.Attempt, with tool: any EngineTool
    ) async throws(OwnerError) {
        let outcome = await body(attempt.invocation, of: tool)
        services.configuration.atFailpoint(.afterBody, attempt.call.tool)
        await enterTurn()
        defer { leaveTurn() }
        let input = OutcomeInput(
            base: services.decisionInput(), retryDelay: retryDelay(after: attempt, outcome))
        do throws(EngineError) {
            record(try state.decideOutcome(attempt, outcome, input))
        } catch {
            services.configuration.log("An answer came too late: \(error.message)")
        }
    }

    private func body(
        _ invocation: ToolInvocation, of tool: any EngineTool
    ) async -> ToolOutcome {
        let (cancels, cancel) = AsyncStream.makeStream(of: Void.self)
        cancelBody = cancel
        defer { cancelBody = nil }
        return await withTaskGroup(of: ToolOutcome?.self) { group in
            group.addTask { await tool.call(invocation) }
            group.addTask {
                for await _ in cancels { break }
                return nil
            }
            while let next = await group.next() {
                if let outcome = next {
                    cancel.finish()
                    return outcome
                }
                group.cancelAll()
            }
            return .unknown(ToolFailure(message: "The tool gave no answer."))
        }
    }

    private func settle(
        _ attempt: NextStep.Attempt, with tool: any EngineTool
    ) async throws(OwnerError) {
        var verdict = await tool.reconcile(attempt.invocation)
        if case .notDone = verdict, services.clock.now() < attempt.settledAt {
            // The old attempt may still act: only what is found once it cannot counts.
            await pause(.milliseconds(attempt.settledAt - services.clock.now()))
            verdict = services.stopping ? .unknown : await tool.reconcile(attempt.invocation)
        }
        await enterTurn()
        defer { leaveTurn() }
        if services.stopping { return }
        do throws(EngineError) {
            record(try state.decideReconciliation(attempt, verdict, services.decisionInput()))
        } catch {
            services.configuration.log("A look-up came too late: \(error.message)")
        }
    }

    /// Waits, unless a command or the engine's end comes first.
    private func pause(_ time: Duration) async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        endPause = end
        defer { endPause = nil }
        await services.pause(time, or: ends)
    }

    /// Has the driver look again, if it waits for a time to come.
    func wakeUp() { endPause?.yield() }

    private func retryDelay(
        after attempt: NextStep.Attempt, _ outcome: ToolOutcome
    ) -> Duration {
        switch outcome {
        case .before(let failure), .unknown(let failure):
            if let asked = failure.retryAfter { return asked }
        case .result: break
        }
        let doubled = services.configuration.retryDelay * (1 << min(attempt.number - 1, 6))
        return doubled * services.identifiers.jitter()
    }
}

extension NextStep.Attempt {
    var invocation: ToolInvocation {
        ToolInvocation(
            runID: runID, step: step, attempt: number, arguments: call.arguments,
            idempotencyKey: call.key, principal: principal)
    }
}
