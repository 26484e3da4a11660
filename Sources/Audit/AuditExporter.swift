internal import DurableEngine
internal import DurableLog
public import DurableSecurity
internal import OpenSSLCrypto
package import OrderedJSON

/// What an export is to hold.
public struct AuditExportRequest: Hashable, Sendable {
    /// How rows are written.
    public enum Format: String, CaseIterable, Hashable, Sendable {
        /// One JSON object a line.
        case jsonl
        /// RFC 4180, its first page with a header.
        case csv
    }

    /// How rows are written.
    public var format = Format.jsonl
    /// The one run it is about, or nil for all.
    public var runID: String?
    /// Only events from this time on, in milliseconds since 1970.
    public var since: Int64?
    /// Only events before this time, in milliseconds since 1970.
    public var until: Int64?
    /// At most this many rows, 1 to 10,000.
    public var limit = 100
    /// At most about this many bytes of content.
    public var contentBytes = 64 << 10
    /// Where the page before ended.
    public var cursor: String?

    /// A request for the first rows of everything, as JSON lines.
    public init() {}
}

/// One page of an export.
public struct AuditExport: Hashable, Sendable {
    /// How rows are written.
    public var format: AuditExportRequest.Format
    /// What the whole log came to after the page was read.
    public var tip: AuditTip
    /// The rows; the pages of an export one after the other are one text.
    public var content: String
    /// Where the next page begins, or nil at the end; a page may be empty and have a next one.
    public var nextCursor: String?

    /// `format`, `tip`, `content`, `nextCursor`.
    package var json: JSONObject {
        var object: JSONObject = [
            "format": .string(format.rawValue), "tip": .string(tip.text),
            "content": .string(content),
        ]
        object["nextCursor"] = nextCursor.map { .string($0) }
        return object
    }
}

extension Auditor {
    /// One page of the log's events, in their order, of the runs that `principal` may see.
    ///
    /// - Throws: ``AuditError``: `.notFound` for a run that it may not see, `.malformed` for a
    ///   cursor that is none, `.storage`.
    public func export(
        _ request: AuditExportRequest, visibleTo principal: Principal
    ) async throws(AuditError) -> AuditExport {
        do {
            var page = try ExportPage(request, visibleTo: principal, store: store)
            try await page.read()
            return AuditExport(
                format: request.format, tip: try await tip(), content: page.content,
                nextCursor: page.nextCursor)
        } catch {
            throw .wrapping(error)
        }
    }
}

/// Gathers one page of an export.
private struct ExportPage {
    /// How many events one page looks at, whoever may see them.
    private static let scanLimit = 20_000

    private let request: AuditExportRequest
    private let principal: Principal
    private let store: any EventStore
    private var place: ExportCursor
    private var visible: [String: Bool] = [:]
    private var count = 0
    private(set) var content = ""
    private(set) var nextCursor: String?

    init(
        _ request: AuditExportRequest, visibleTo principal: Principal, store: any EventStore
    ) throws(AuditError) {
        self.request = request
        self.principal = principal
        self.store = store
        if let cursor = request.cursor {
            guard let place = ExportCursor(cursor) else { throw .badCursor() }
            self.place = place
        } else {
            place = ExportCursor(position: 0, sequence: 0)
            if request.format == .csv { content = AuditRow.csvHeader }
        }
    }

    mutating func read() async throws {
        if let runID = request.runID {
            try await read(runID)
        } else {
            try await readAll()
        }
    }

    private mutating func readAll() async throws {
        var pages = EventPages(store: store, after: place.position)
        var scanned = 0
        while let page = try await pages.next() {
            for stored in page {
                if isFull || scanned >= Self.scanLimit {
                    nextCursor = place.text
                    return
                }
                scanned += 1
                try await take(stored)
            }
        }
    }

    private mutating func read(_ runID: String) async throws {
        guard let row = try await run(runID), case .text(let owner) = row["principal"],
            principal.maySee(runsOf: owner), case .text(let id) = row["conversation"]
        else { throw AuditError.unknownRun(runID) }
        visible[runID] = true
        let conversation = ConversationID(rawValue: id)
        while true {
            let page = try await store.events(of: conversation, after: place.sequence, limit: 100)
            if page.isEmpty { return }
            for stored in page {
                if isFull {
                    nextCursor = place.text
                    return
                }
                try await take(stored)
            }
        }
    }

    private var isFull: Bool {
        count >= min(max(request.limit, 1), StoreLimits.readLimit)
            || content.utf8.count >= request.contentBytes
    }

    private mutating func take(_ stored: StoredEvent) async throws {
        place = ExportCursor(position: stored.position, sequence: stored.sequence)
        let time = stored.event.time
        if let since = request.since, time < since { return }
        if let until = request.until, time >= until { return }
        // An event that this version cannot read is shown by what stands beside its payload.
        let event = try? EngineEvent(stored.event)
        if let runID = request.runID, event?.runID.rawValue != runID { return }
        guard try await maySee(event?.runID.rawValue) else { return }
        let row = AuditRow(stored, event)
        content += request.format == .csv ? row.csvRecord : row.jsonLine
        count += 1
    }

    private mutating func maySee(_ runID: String?) async throws -> Bool {
        if principal.seesEverything { return true }
        guard let runID else { return false }
        if let known = visible[runID] { return known }
        var isVisible = false
        if case .text(let owner)? = try await run(runID)?["principal"] {
            isVisible = principal.maySee(runsOf: owner)
        }
        visible[runID] = isVisible
        return isVisible
    }

    private func run(_ id: String) async throws(StoreError) -> Row? {
        try await store.rows(
            TableQuery(EngineTables.runs.name, where: ["runId": .equals(.text(id))], limit: 1)
        ).first
    }
}

/// The place of the last event that a page looked at.
private struct ExportCursor {
    var position: Int64
    var sequence: Int64

    init(position: Int64, sequence: Int64) {
        self.position = position
        self.sequence = sequence
    }

    init?(_ text: String) {
        // Any other text is no cursor, whatever is wrong with it.
        guard let bytes = try? Base64URL.decode(text) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "e1", let position = Int64(parts[1]),
            let sequence = Int64(parts[2]), position >= 0, sequence >= 0
        else { return nil }
        self.init(position: position, sequence: sequence)
    }

    var text: String { Base64URL.encode(Array("e1 \(position) \(sequence)".utf8)) }
}
