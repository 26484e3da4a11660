internal import OrderedJSON

/// What the runner adds to an outcome.
struct OutcomeInput {
    /// The time and a fresh id.
    var base: DecisionInput
    /// How long to wait before a further attempt, jitter included.
    var retryDelay: Duration
}

extension ConversationState {
    /// What follows from how an attempt ended.
    ///
    /// - Throws: `.wrongState` where this is not the attempt under way: an old attempt's answer is
    ///   no answer.
    func decideOutcome(
        _ attempt: NextStep.Attempt, _ outcome: ToolOutcome, _ input: OutcomeInput
    ) throws(EngineError) -> [EngineEvent] {
        guard let run = runs[attempt.runID], run.ending == nil,
            run.steps.indices.contains(attempt.step),
            case .running(let current) = run.steps[attempt.step].phase,
            current.number == attempt.number
        else {
            throw .wrongState("Attempt \(attempt.number) of '\(attempt.call.tool)' is over.")
        }
        let mayRepeat = attempt.number < attempt.call.maximumAttempts
        switch outcome {
        case .result(let output, let isError):
            return [attempt.result(isError ? .failed : .succeeded, output: output)]
        case .before(let failure):
            if failure.isRetryable, mayRepeat, run.cancelRequestedBy == nil {
                return [attempt.retry(failure.message, input)]
            }
            return [attempt.result(.failed, error: failure.message)]
        case .unknown(let failure):
            switch attempt.call.effect {
            case .pure:
                if mayRepeat, run.cancelRequestedBy == nil {
                    return [attempt.retry(failure.message, input)]
                }
                return [attempt.result(.failed, error: failure.message)]
            case .idempotent where mayRepeat: return [attempt.retry(failure.message, input)]
            case .idempotent, .external:
                return [
                    .effectUnknown(
                        run.id, step: attempt.step, attempt: attempt.number,
                        reason: failure.message)
                ]
            }
        }
    }

    /// What follows from what could be found out about an unknown attempt.
    func decideReconciliation(
        _ attempt: NextStep.Attempt, _ verdict: Reconciliation, _ input: DecisionInput
    ) throws(EngineError) -> [EngineEvent] {
        guard let run = runs[attempt.runID], run.ending == nil,
            run.steps.indices.contains(attempt.step),
            case .unknown(let current, let reason) = run.steps[attempt.step].phase,
            current.number == attempt.number
        else { throw .wrongState("The outcome of '\(attempt.call.tool)' is known already.") }
        switch verdict {
        case .done(let output):
            return [attempt.result(.succeeded, origin: .reconcile, output: output)]
        case .notDone where input.now >= attempt.settledAt:
            return [
                .effectRetry(
                    run.id, step: attempt.step, attempt: attempt.number,
                    reason: "it is known not to have happened", at: input.now)
            ]
        case .notDone, .unknown:
            return [run.reconcileRequest(attempt.step, attempt.call, reason, input)]
        }
    }

    /// What a process does first with a conversation that it took over from a dead one.
    func decideRecovery(_ input: DecisionInput) -> [EngineEvent] {
        // A run whose start was not durable yet counts too: it may be what ended the process.
        guard let run = active, run.parkedReason == nil, run.pendingApproval == nil
        else { return [] }
        let crashes = run.crashes + 1
        var events: [EngineEvent] = [.runRecovered(run.id, crashes: crashes)]
        if crashes > Self.crashLimit {
            let reason = "The process ended \(crashes) times in a row while it ran this."
            return events + [.runParked(run.id, reason: reason)]
        }
        if let event = decideInterrupted(run, input) { events.append(event) }
        return events
    }

    private func decideInterrupted(_ run: RunState, _ input: DecisionInput) -> EngineEvent? {
        let index = run.steps.count - 1
        guard index >= 0, let call = run.steps[index].call,
            case .running(let attempt) = run.steps[index].phase
        else { return nil }
        let reason = "the process ended before the answer was recorded."
        func retry(at time: Int64) -> EngineEvent {
            .effectRetry(
                run.id, step: index, attempt: attempt.number, reason: reason, at: time)
        }
        switch call.effect {
        case .pure, .idempotent: return retry(at: input.now)
        case .external where call.replayOnCrash:
            return retry(at: attempt.startedAt + call.settleMilliseconds)
        case .external:
            return .effectUnknown(
                run.id, step: index, attempt: attempt.number, reason: reason)
        }
    }
}

extension NextStep.Attempt {
    /// When an old attempt can no longer act, in milliseconds since 1970.
    var settledAt: Int64 { startedAt + call.settleMilliseconds }

    func result(
        _ outcome: EffectResult.Outcome, origin: EffectResult.Origin = .call,
        output: JSONValue? = nil, error: String? = nil
    ) -> EngineEvent {
        .effectResult(
            EffectResult(
                runID: runID, step: step, attempt: number, outcome: outcome, origin: origin,
                output: output, error: error))
    }

    func retry(_ reason: String, _ input: OutcomeInput) -> EngineEvent {
        .effectRetry(
            runID, step: step, attempt: number, reason: reason,
            at: input.base.now + input.retryDelay.milliseconds)
    }
}
