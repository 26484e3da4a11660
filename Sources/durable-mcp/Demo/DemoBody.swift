internal import FoundationEssentials
internal import LinuxPlatform
internal import MCPProtocol
internal import OrderedJSON

/// `durable-mcp demo`: tells what durability means, and proves it from the upstreams' own ledger.
struct DemoBody {
    let surroundings: Surroundings
    private let output = CommandOutput()

    /// Tells the whole story; fails where something is not as it is told.
    func run() async throws {
        let files = try DemoFiles()
        defer { files.remove() }
        try await killedCall(files)
        try await approval(files)
        try await changedArguments(files)
        try await audit(files)
    }

    // MARK: The chapters

    private func killedCall(_ files: DemoFiles) async throws {
        try tell(
            """
            1. A script writes a note and sends a mail. The server is killed (SIGKILL) when the \
            mail
               is out, before its answer is recorded.
            """)
        let script: JSONValue = [
            ["tool": "notes__put", "arguments": ["key": "report", "value": "final"]],
            ["tool": "mail__send", "arguments": ["to": "team", "text": "The report is final."]],
            ["finish": "The team knows."],
        ]
        let first = DemoServer(files, killedAt: "after-body:mail__send")
        let answer = try await first.run(script, requestID: "report-1")
        try expect(answer == nil, "the server was to be killed")
        await first.stop()
        try say("start_run", "no answer: the server was killed")
        try ledger(files, is: "put ×1, send ×1")

        try tell(
            """
               A new server takes the run over from the log, and repeats neither call. The client \
            finds
               its run by asking again:
            """)
        let second = DemoServer(files)
        guard let view = try await second.run(script, requestID: "report-1"),
            view["status"] == "waiting", let run = view["runId"]?.stringValue
        else { throw CommandFailure("The demo's run was to wait for a person.") }
        try say("start_run", run)
        try say("status", "waiting: whether 'mail__send' took effect is unknown")
        try ledger(files, is: "put ×1, send ×1")
        try tell("   The mail is there, so a person says so, and the run goes on:")
        try await approve(view, files, output: #"{"content":[{"type":"text","text":"sent"}]}"#)
        try await completed(second, run)
        try ledger(files, is: "put ×1, send ×1")
        await second.stop()
    }

    private func approval(_ files: DemoFiles) async throws {
        try tell("\n2. A script asks before it sends. Its server ends while it waits.")
        let first = DemoServer(files)
        let script: JSONValue = [
            ["approval": "Send the invoice?"],
            ["tool": "mail__send", "arguments": ["to": "customer", "text": "Your invoice."]],
            ["finish": "The invoice is out."],
        ]
        guard let view = try await first.run(script, requestID: "invoice-1"),
            view["status"] == "waiting", let run = view["runId"]?.stringValue
        else { throw CommandFailure("The demo's run was to wait for a person.") }
        try say("start_run", run)
        try say("status", "waiting: Send the invoice?")
        await first.stop()
        try say("server", "ended")
        try tell("   The question is still there, and is answered while no server runs:")
        try await approve(view, files)
        let second = DemoServer(files)
        try tell("   A new server finds the answer, and goes on:")
        try await completed(second, run)
        try ledger(files, is: "put ×1, send ×2")
        await second.stop()
    }

    private func changedArguments(_ files: DemoFiles) async throws {
        try tell("\n3. A client repeats a request. The same one is found, a changed one refused.")
        let server = DemoServer(files)
        let arguments: JSONObject = ["to": "bank", "text": "Pay 10."]
        for _ in 1...2 {
            let answer = await server.call("mail__send", arguments, requestID: "payment-1")
            guard case .result(let result) = answer, !result.isError else {
                throw CommandFailure("The demo's payment was to succeed.")
            }
            try say("mail__send \"Pay 10.\"", "done")
            try ledger(files, is: "put ×1, send ×3")
        }
        let changed: JSONObject = ["to": "bank", "text": "Pay 1000."]
        switch await server.call("mail__send", changed, requestID: "payment-1") {
        case .refused: break
        case .result(let result): try expect(result.isError, "a changed request was to be refused")
        case .killed: try expect(false, "the server was to live on")
        }
        try say("mail__send \"Pay 1000.\"", "refused: 'payment-1' was used for other content")
        try ledger(files, is: "put ×1, send ×3")
        await server.stop()
    }

    private func audit(_ files: DemoFiles) async throws {
        try tell("\n4. The log proves what happened, and that nothing was changed since.")
        try tell("   $ durable-mcp audit verify")
        var command = VerifyAuditCommand()
        command.common.store = files.storeURL
        try await perform(.verifyAudit(command))
    }

    // MARK: What they are made of

    private func completed(_ server: DemoServer, _ run: String) async throws {
        guard let view = try await server.wait(for: run), view["status"] == "completed",
            let text = view["finalText"]?.stringValue
        else { throw CommandFailure("The demo's run '\(run)' was to complete.") }
        try say("status", "completed: \(text)")
    }

    private func approve(_ view: JSONObject, _ files: DemoFiles, output: String? = nil) async throws
    {
        guard let id = view["waitingOn"]?["approvalId"]?.stringValue else {
            throw CommandFailure("The demo's run waits for no approval.")
        }
        var command = ApproveCommand(approvalID: id, output: output)
        command.common.store = files.storeURL
        try tell("   $ durable-mcp approve \(id)" + (output.map { " --output '\($0)'" } ?? ""))
        try await perform(.approve(command))
    }

    /// Runs a command as the command line does.
    private func perform(_ command: Command) async throws {
        let code = await CommandBodies(surroundings: surroundings).run(command)
        try expect(code == .done, "a command of the demo failed")
    }

    private func ledger(_ files: DemoFiles, is expected: String) throws {
        let line = try files.ledgerLine()
        try say("ledger", line)
        try expect(line == expected, "the ledger was to say '\(expected)'")
    }

    private func expect(_ condition: Bool, _ what: String) throws(CommandFailure) {
        if !condition { throw CommandFailure("The demo did not go as told: \(what).") }
    }

    private func tell(_ text: String) throws(CommandFailure) { try output.write(text + "\n") }

    private func say(_ subject: String, _ what: String) throws(CommandFailure) {
        try tell("   \(subject) → \(what)")
    }
}
