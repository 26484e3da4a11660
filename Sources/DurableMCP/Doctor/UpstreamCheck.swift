internal import DurableEngine
package import DurableLog
package import DurableSecurity
package import MCPClient
package import MCPProtocol
package import OrderedJSON

/// What became of starting one server behind us, once, to see what it offers.
package struct UpstreamCheck: Sendable {
    /// How it went.
    package enum State: Sendable {
        /// The configuration keeps it out of use.
        case disabled
        /// It cannot be used, and why.
        case failed(message: String, standardError: String)
        /// It answered.
        case reached(UpstreamDescription, tools: [Tool])
    }

    /// One of its tools, and what the configuration makes of it.
    package struct Tool: Sendable {
        /// The name under which clients see it.
        package var name: String
        /// Its name on its server.
        package var tool: String
        /// What may be done with it.
        package var policy: EffectPolicy
        /// Why clients do not see it; nil where they do.
        package var withheld: String?
        /// What its definition says that is not what was pinned.
        package var changes: [Change] = []
    }

    /// One member of a tool's definition that has changed.
    package struct Change: Sendable {
        /// Its key, such as `description`.
        package var key: String
        /// What was pinned, as JSON; nil where there was nothing.
        package var pinned: JSONValue?
        /// What there is now.
        package var now: JSONValue?
    }

    /// Its name in the configuration.
    package let name: String
    /// How it went.
    package let state: State

    /// Whether nothing is wrong.
    package var isFine: Bool {
        switch state {
        case .disabled: true
        case .failed: false
        case .reached(_, let tools): tools.allSatisfy { !$0.isChanged }
        }
    }
}

extension UpstreamCheck.Tool {
    /// Whether it is kept back until somebody accepts its new definition.
    package var isChanged: Bool { !changes.isEmpty }

    fileprivate static let changed =
        "its definition has changed since it was pinned, and nobody has accepted that"
    fileprivate static let notAllowed = "'allow' in the configuration leaves it out"

    var json: JSONValue {
        var object: JSONObject = [
            "name": .string(name), "tool": .string(tool),
            "effect": .string(policy.effect.rawValue), "approval": .bool(policy.needsApproval),
            "risk": .string(policy.risk.rawValue),
        ]
        object["approvalReason"] = policy.approvalReason.map { .string($0) }
        object["withheld"] = withheld.map { .string($0) }
        if !changes.isEmpty {
            object["changes"] = .object(
                JSONObject(
                    changes.map { change in
                        (
                            change.key,
                            ["pinned": change.pinned ?? .null, "now": change.now ?? .null]
                        )
                    }))
        }
        return .object(object)
    }
}

extension UpstreamCheck {
    /// For listings: `name`, `status`, and what belongs to that.
    package var json: JSONValue {
        var object: JSONObject = ["name": .string(name)]
        switch state {
        case .disabled: object["status"] = "disabled"
        case .failed(let message, let standardError):
            object["status"] = "failed"
            object["error"] = .string(message)
            if !standardError.isEmpty { object["standardError"] = .string(standardError) }
        case .reached(let description, let tools):
            object["status"] = isFine ? "ok" : "changed"
            object["protocolVersion"] = .string(description.version.rawValue)
            object["era"] = description.version.isModern ? "modern" : "legacy"
            object["serverInfo"] = description.serverInfo.map { .object($0.json) }
            object["tools"] = .array(tools.map(\.json))
        }
        return .object(object)
    }

    /// Starts a server, lists its tools, and ends it.
    ///
    /// Nothing is pinned by it. Without a store, nothing counts as changed.
    package init(
        of config: UpstreamConfig, secrets: SecretSource, clientInfo: Implementation,
        guardPath: String? = nil, store: (any EventStore)?
    ) async {
        name = config.name
        guard config.isEnabled else {
            state = .disabled
            return
        }
        guard case .stdio(let program) = config.transport else {
            state = .failed(
                message: "It is reached over HTTP, which is not supported yet.",
                standardError: "")
            return
        }
        let resolved: ResolvedProgram
        do {
            resolved = try program.resolved(from: secrets)
        } catch {
            state = .failed(
                message: "It cannot be started: \(error.message)", standardError: "")
            return
        }
        var configuration = UpstreamConfiguration(name: config.name, clientInfo: clientInfo)
        configuration.scrub = { resolved.scrubber.scrub($0) }
        let client = UpstreamClient(
            configuration,
            running: StdioServerCommand(
                command: resolved.command, arguments: resolved.arguments,
                environment: resolved.environment, workingDirectory: resolved.workingFolder,
                guardPath: guardPath))
        state = await Self.state(of: client, config, store)
        await client.close()
    }

    private static func state(
        of client: UpstreamClient, _ config: UpstreamConfig, _ store: (any EventStore)?
    ) async -> State {
        do {
            let description = try await client.connect()
            let listed = try await client.listTools()
            let pinned = try await store?.pinnedTools(of: config.name) ?? [:]
            return .reached(
                description, tools: listed.map { tool($0, config, pinned[$0.name]) })
        } catch let error as UpstreamError {
            return .failed(message: error.message, standardError: error.standardError)
        } catch let error as StoreError {
            return .failed(
                message: "Its pinned tools cannot be read: \(error.message)", standardError: "")
        } catch {
            return .failed(message: "\(error)", standardError: "")
        }
    }

    private static func tool(
        _ definition: ToolDefinition, _ config: UpstreamConfig, _ pinned: CatalogueEntry?
    ) -> Tool {
        let hasHints = definition.json["annotations"] != nil
        let policy = EffectPolicy(
            annotations: hasHints ? definition.annotations : nil,
            trust: config.policy.trustAnnotations,
            override: config.policy.override(for: definition.name))
        var tool = Tool(
            name: pinned?.name ?? ToolName.plain(server: config.name, tool: definition.name),
            tool: definition.name, policy: policy)
        if !config.policy.allows(definition.name) {
            tool.withheld = Tool.notAllowed
        } else if let pinned, pinned.pinned.digest != CatalogueEntry.Pin(definition).digest {
            tool.withheld = Tool.changed
            tool.changes = changes(from: pinned.pinned.definition, to: definition)
        }
        return tool
    }

    private static func changes(
        from pinned: ToolDefinition, to now: ToolDefinition
    ) -> [Change] {
        CatalogueEntry.Pin.keys.compactMap { key in
            let (old, new) = (pinned.json[key], now.json[key])
            guard old?.canonicalBytes() != new?.canonicalBytes() else { return nil }
            return Change(key: key, pinned: old, now: new)
        }
    }
}

extension EventStore {
    fileprivate func pinnedTools(
        of upstream: String
    ) async throws(StoreError) -> [String: CatalogueEntry] {
        let entries = try await CatalogueStore(store: self).entries(of: upstream)
        return Dictionary(entries.map { ($0.tool, $0) }) { first, _ in first }
    }
}
