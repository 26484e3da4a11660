internal import Audit
internal import DurableEngine
internal import DurableLog
internal import DurableMCP
internal import FoundationEssentials
internal import LinuxPlatform
internal import MCPClient
internal import MCPProtocol
internal import OrderedJSON

/// The body of `doctor`.
struct DoctorBody {
    let surroundings: Surroundings
    let command: DoctorCommand
    let output = CommandOutput()

    /// One line about one part.
    private struct Finding {
        enum Status: String { case ok, warning, failed }

        var part: String
        var status: Status
        var message: String

        var json: JSONValue {
            [
                "part": .string(part), "status": .string(status.rawValue),
                "message": .string(message),
            ]
        }
    }

    func run() async throws {
        var findings: [Finding] = []
        let access: StoreAccess
        do throws(CommandFailure) {
            access = try StoreAccess(command.common, surroundings)
        } catch {
            guard error.code == .failed else { throw error }
            findings.append(Finding(part: "config", status: .failed, message: error.message))
            return try report(findings, [])
        }
        findings += configFindings(access.config)
        let upstreams: [UpstreamCheck]
        switch access.url {
        case .memory:
            findings.append(
                Finding(
                    part: "store", status: .warning,
                    message: "memory: nothing is kept beyond the process."))
            upstreams = await checks(access.config, nil)
        case .sqlite(let path):
            do {
                guard try StoreAccess.exists(path) else {
                    findings.append(missingStore(path))
                    upstreams = await checks(access.config, nil)
                    break
                }
                upstreams = try await access.withExisting { store in
                    findings.append(try await storeFinding(access.url, store))
                    return await checks(access.config, store)
                }
            } catch {
                findings.append(Finding(part: "store", status: .failed, message: "\(error)"))
                upstreams = await checks(access.config, nil)
            }
        }
        try report(findings, upstreams)
    }

    // MARK: The parts

    private func configFindings(_ config: ServerConfig) -> [Finding] {
        let path =
            command.common.config
            ?? config.folder.map { _ in
                surroundings.standardConfigPath ?? ""
            }
        let message =
            path.map { "'\($0)' names \(String(counting: config.upstreams.count, "server"))." }
            ?? "There is no config; 'serve' offers its own tools alone."
        let warnings = config.warnings.map {
            Finding(part: "config", status: .warning, message: "\($0)")
        }
        return [Finding(part: "config", status: .ok, message: message)] + warnings
    }

    private func missingStore(_ path: String) -> Finding {
        var folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        while !folder.isEmpty, !FileManager.default.fileExists(atPath: String(folder)) {
            folder = folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)]
        }
        let nearest = folder.isEmpty ? "/" : String(folder)
        guard FileManager.default.isWritableFile(atPath: nearest) else {
            return Finding(
                part: "store", status: .failed,
                message: """
                    There is no store at '\(path)', and it cannot be made: this user may not \
                    write the folder '\(nearest)'.
                    """)
        }
        return Finding(
            part: "store", status: .ok,
            message: "There is no store at '\(path)' yet; 'serve' makes it.")
    }

    private func storeFinding(_ url: StoreURL, _ store: any EventStore) async throws -> Finding {
        var alive = 0
        var dead = 0
        for process in try await store.processes() where process != store.processID {
            if await store.isAlive(process) { alive += 1 } else { dead += 1 }
        }
        let tip = try await Auditor.open(store: store).tip()
        let users = alive == 1 ? "1 other process uses it" : "\(alive) other processes use it"
        var message = "\(url) holds \(String(counting: tip.count, "event")); \(users)."
        if dead > 0 {
            message += " \(dead) have died; the next server takes over what they left."
        }
        return Finding(part: "store", status: .ok, message: message)
    }

    private func checks(
        _ config: ServerConfig, _ store: (any EventStore)?
    ) async -> [UpstreamCheck] {
        let secrets = surroundings.secrets(config)
        let clientInfo = Implementation(name: "durable-mcp", version: ProductVersion.text)
        return await withTaskGroup(of: (Int, UpstreamCheck).self) { group in
            for (index, upstream) in config.upstreams.enumerated() {
                group.addTask {
                    let check = await UpstreamCheck(
                        of: upstream, secrets: secrets, clientInfo: clientInfo, store: store)
                    return (index, check)
                }
            }
            var found: [(Int, UpstreamCheck)] = []
            for await check in group { found.append(check) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    // MARK: The report

    private func report(_ findings: [Finding], _ upstreams: [UpstreamCheck]) throws {
        let isFine =
            findings.allSatisfy { $0.status != .failed } && upstreams.allSatisfy(\.isFine)
        if command.json {
            try output.write([
                "ok": .bool(isFine), "findings": .array(findings.map(\.json)),
                "upstreams": .array(upstreams.map(\.json)),
            ])
        } else {
            for finding in findings {
                try output.write(
                    "\(finding.part): \(finding.status.rawValue)\n"
                        + SafeText.block(finding.message, indent: "  ") + "\n")
            }
            for upstream in upstreams { try output.write(Self.text(of: upstream)) }
        }
        guard isFine else { throw CommandFailure("Something is wrong; see above.") }
    }

    private static func text(
        ofChangesIn tool: UpstreamCheck.Tool, _ check: UpstreamCheck
    ) -> String {
        var text = "  \(tool.name) has changed:\n"
        for change in tool.changes {
            text += "    \(change.key)\n"
            for (word, value) in [("was", change.pinned), ("is", change.now)] {
                let shown = value.map { SafeText.json($0, pretty: false) } ?? "nothing"
                text += "      \(word) \(shown)\n"
            }
        }
        return text + "  To accept it: durable-mcp upstream accept \(check.name)\n"
    }

    private static func text(of check: UpstreamCheck) -> String {
        let title = "upstream '\(check.name)': "
        switch check.state {
        case .disabled: return title + "disabled\n"
        case .failed(let message, let standardError):
            var text = title + "failed\n" + SafeText.block(message, indent: "  ") + "\n"
            if !standardError.isEmpty {
                text += "  Its standard error ends with:\n"
                text += SafeText.block(standardError, indent: "    ") + "\n"
            }
            return text
        case .reached(let description, let tools):
            let era = description.version.isModern ? "modern" : "legacy"
            let info = description.serverInfo
            var text = title + (check.isFine ? "ok" : "tools have changed") + "\n  "
            text += SafeText.line(
                "\(info?.name ?? "a server without a name") \(info?.version ?? ""), "
                    + "speaks \(description.version.rawValue) (\(era)).")
            text += "\n"
            var table = TextTable("TOOL", "EFFECT", "ASKS", "RISK", "SHOWN")
            for tool in tools {
                table.add(
                    tool.name, tool.policy.effect.rawValue,
                    tool.policy.needsApproval ? "yes" : "no", tool.policy.risk.rawValue,
                    tool.withheld.map { "no: \($0)" } ?? "yes")
            }
            text += SafeText.block(String(table.text.dropLast()), indent: "  ") + "\n"
            for tool in tools where tool.isChanged { text += Self.text(ofChangesIn: tool, check) }
            return text
        }
    }
}
