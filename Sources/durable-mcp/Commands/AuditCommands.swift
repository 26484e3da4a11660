internal import Audit
internal import DurableEngine
internal import DurableLog
internal import DurableSecurity
internal import LinuxPlatform
internal import OrderedJSON

/// The bodies of `audit tip`, `audit verify` and `audit export`.
struct AuditCommands {
    let surroundings: Surroundings
    let output = CommandOutput()

    func tip(_ command: AuditTipCommand) async throws {
        let access = try StoreAccess(command.common, surroundings)
        let tip = try await access.withExisting { try await Auditor.open(store: $0).tip() }
        if command.json {
            return try output.write([
                "tip": .string(tip.text), "eventCount": .number(JSONNumber(tip.count)),
            ])
        }
        try output.write(tip.text + "\n")
    }

    func verify(_ command: VerifyAuditCommand) async throws {
        var expected: AuditTip?
        if let text = command.expectedTip {
            do throws(AuditError) {
                expected = try AuditTip(parsing: text)
            } catch {
                throw CommandFailure.usedWrongly(error.message)
            }
        }
        let access = try StoreAccess(command.common, surroundings)
        let verdict = try await access.withExisting { store in
            let auditor = try await Auditor.open(store: store)
            var verdict = try await auditor.verify(expecting: expected)
            verdict.add(contentsOf: try await auditor.verifyProjections())
            return verdict
        }
        if command.json {
            try output.write(verdict.json)
        } else {
            try output.write(Self.text(of: verdict))
        }
        guard verdict.isIntact else {
            throw CommandFailure("The log is not as it was written.")
        }
    }

    private static func text(of verdict: AuditVerdict) -> String {
        let events = String(counting: verdict.tip.count, "event")
        let conversations = String(counting: verdict.conversationCount, "conversation")
        var text = "\(events) in \(conversations).\n"
        text += "Tip: \(verdict.tip.text)\n"
        guard !verdict.isIntact else { return text + "Everything is as it was written.\n" }
        text += String(counting: verdict.findingCount, "finding") + ":\n"
        for finding in verdict.findings {
            text += "- \(finding.kind.rawValue): \(SafeText.line(finding.message))\n"
        }
        if verdict.findingCount > verdict.findings.count { text += "- …\n" }
        return text
    }

    // MARK: audit export

    func export(_ command: ExportAuditCommand) async throws {
        var request = AuditExportRequest()
        request.format = command.format == .csv ? .csv : .jsonl
        request.runID = command.runID
        request.since = try Self.time(command.since, "--since")
        request.until = try Self.time(command.until, "--until")
        request.limit = 10_000
        request.contentBytes = 1 << 20
        let wanted = request
        let access = try StoreAccess(command.common, surroundings)
        let tip = try await access.withExisting { store in
            let auditor = try await Auditor.open(store: store)
            var request = wanted
            var page = try await Self.page(request, of: auditor, for: surroundings.principal)
            // Made only when there is something to write, so that a refusal leaves no file.
            let sink = try ExportSink(path: command.file, output: output)
            try sink.write(page.content)
            while let next = page.nextCursor {
                request.cursor = next
                page = try await auditor.export(request, visibleTo: surroundings.principal)
                try sink.write(page.content)
            }
            try sink.finish()
            return page.tip
        }
        output.note("Tip: \(tip.text)")
    }

    private static func page(
        _ request: AuditExportRequest, of auditor: Auditor, for principal: Principal
    ) async throws -> AuditExport {
        do throws(AuditError) {
            return try await auditor.export(request, visibleTo: principal)
        } catch {
            guard error.code == .notFound, let id = request.runID else { throw error }
            throw RunCommands.noSuchRun(id)
        }
    }

    private static func time(_ text: String?, _ option: String) throws -> Int64? {
        guard let text else { return nil }
        guard let time = Timestamp(parsing: text) else {
            throw CommandFailure.usedWrongly(
                "\(option) must be a time such as 2026-11-30T12:00:00Z, not '\(text)'.")
        }
        return time.milliseconds
    }
}

/// Where an export goes: to standard output, or to a file that appears once it is whole.
private struct ExportSink: ~Copyable {
    private let path: String?
    private let file: AppendFile?
    private let output: CommandOutput

    init(path: String?, output: CommandOutput) throws {
        self.path = path
        self.output = output
        guard let path else {
            file = nil
            return
        }
        do throws(LinuxError) {
            // What an export that was cut off has left.
            try FileSystem.remove(path + ".part")
            file = try AppendFile(path: path + ".part")
        } catch {
            throw CommandFailure(
                """
                Cannot write the file of --output; it is written as FILE.part until it is whole. \
                \(error.message)
                """)
        }
    }

    borrowing func write(_ text: String) throws {
        if file != nil { try file?.append(Array(text.utf8)) } else { try output.write(text) }
    }

    borrowing func finish() throws {
        if let path { try FileSystem.rename(path + ".part", to: path) }
    }
}
