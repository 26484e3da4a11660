import Audit
import DurableEngine
import DurableLog
import DurableSecurity
import OrderedJSON
import Testing

@Suite("The export for auditors", .timeLimit(.minutes(1)))
struct ExportTests {
    private static func rows(_ export: AuditExport) throws -> [JSONValue] {
        try export.content.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }

    @Test("an admin gets one row an event, with the tip of the log")
    func everything() async throws {
        let log = try await SampleLog()
        let auditor = try await Auditor.open(store: log.store)
        var request = AuditExportRequest()
        request.limit = 1000
        let export = try await auditor.export(request, visibleTo: SampleLog.admin)
        let rows = try Self.rows(export)
        #expect(rows.count == Int(export.tip.count))
        #expect(export.nextCursor == nil)
        #expect(export.tip == (try await auditor.tip()))
        let intent = try #require(rows.first { $0["type"] == "effect.intent" })
        #expect(intent["tool"] == "bank__pay")
        #expect(intent["effect"] == "external")
        #expect(intent["runId"] == .string(log.paid.rawValue))
        #expect(intent["step"] == 0)
        #expect(intent["argumentsDigest"]?.stringValue?.hasPrefix("hmac-sha256:") == true)
        let resolved = try #require(rows.first { $0["type"] == "approval.resolved" })
        #expect(resolved["approver"] == "os:root")
        #expect(resolved["level"] == "session")
        #expect(resolved["outcome"] == "approved")
        #expect(resolved["digest"]?.stringValue?.utf8.count == 64)
        let questions = rows.filter { $0["type"] == "approval.requested" && $0["step"] == 0 }
        #expect(questions.contains { $0["argumentsDigest"] == nil })
        #expect(!questions.contains { $0["argumentsDigest"] == "" })
    }

    @Test("no text, argument or result is in it", arguments: AuditExportRequest.Format.allCases)
    func content(format: AuditExportRequest.Format) async throws {
        let log = try await SampleLog()
        var request = AuditExportRequest()
        request.format = format
        request.limit = 1000
        let export = try await Auditor.open(store: log.store).export(
            request, visibleTo: SampleLog.admin)
        for text in ["message-text", "final-text", "argument-text", "sent-text"] {
            let stored = try log.store.base.events(after: 0, limit: 1000)
            #expect(
                stored.contains { String(decoding: $0.event.payload, as: UTF8.self).contains(text) }
            )
            #expect(!export.content.contains(text))
        }
    }

    @Test("the pages one after the other are the whole", arguments: [1, 7, 1000])
    func pages(limit: Int) async throws {
        let log = try await SampleLog()
        let auditor = try await Auditor.open(store: log.store)
        for format in AuditExportRequest.Format.allCases {
            var request = AuditExportRequest()
            request.format = format
            request.limit = 1000
            let whole = try await auditor.export(request, visibleTo: SampleLog.admin)
            request.limit = limit
            var text = ""
            repeat {
                let page = try await auditor.export(request, visibleTo: SampleLog.admin)
                text += page.content
                request.cursor = page.nextCursor
            } while request.cursor != nil
            #expect(text == whole.content)
        }
    }

    @Test("a caller sees its own runs alone, and an auditor all")
    func visibility() async throws {
        let log = try await SampleLog()
        let auditor = try await Auditor.open(store: log.store)
        var request = AuditExportRequest()
        request.limit = 1000
        let mine = try Self.rows(try await auditor.export(request, visibleTo: SampleLog.alice))
        let others = try Self.rows(try await auditor.export(request, visibleTo: SampleLog.bob))
        let all = try Self.rows(try await auditor.export(request, visibleTo: SampleLog.admin))
        #expect(!mine.isEmpty && !others.isEmpty)
        #expect(mine.count + others.count == all.count)
        #expect(mine.allSatisfy { $0["runId"] != .string(log.waiting.rawValue) })
        let none = Principal(id: "os:alice", roles: [], authLevel: .session)
        #expect(try await auditor.export(request, visibleTo: none).content.isEmpty)
    }

    @Test("one run can be asked for, by those who may see it")
    func oneRun() async throws {
        let log = try await SampleLog()
        let auditor = try await Auditor.open(store: log.store)
        var request = AuditExportRequest()
        request.runID = log.waiting.rawValue
        request.limit = 2
        var rows: [JSONValue] = []
        repeat {
            let page = try await auditor.export(request, visibleTo: SampleLog.bob)
            rows += try Self.rows(page)
            request.cursor = page.nextCursor
        } while request.cursor != nil
        #expect(rows.count > 2)
        #expect(rows.allSatisfy { $0["runId"] == .string(log.waiting.rawValue) })
        #expect(Set(rows.compactMap { $0["sequence"]?.intValue }).count == rows.count)

        let error = await #expect(throws: AuditError.self) {
            _ = try await auditor.export(request, visibleTo: SampleLog.alice)
        }
        #expect(error?.code == .notFound)
    }

    @Test("times bound it: from the first on, before the second")
    func times() async throws {
        let log = try await SampleLog()
        let auditor = try await Auditor.open(store: log.store)
        let events = try log.store.base.events(after: 0, limit: 1000)
        var request = AuditExportRequest()
        request.limit = 1000
        request.since = events[3].event.time
        request.until = events[9].event.time
        let rows = try Self.rows(try await auditor.export(request, visibleTo: SampleLog.admin))
        let expected = events.filter {
            $0.event.time >= events[3].event.time && $0.event.time < events[9].event.time
        }
        #expect(rows.compactMap { $0["position"]?.intValue } == expected.map { Int($0.position) })
    }

    @Test("content ends near its bound, and goes on with the cursor")
    func contentBytes() async throws {
        let log = try await SampleLog()
        var request = AuditExportRequest()
        request.contentBytes = 1000
        let export = try await Auditor.open(store: log.store).export(
            request, visibleTo: SampleLog.admin)
        #expect(export.content.utf8.count < 2000)
        #expect(export.nextCursor != nil)
    }

    @Test("what is no cursor is refused", arguments: ["", "x", "e1 1 1", "ZTEgMSAtMQ"])
    func badCursor(cursor: String) async throws {
        let log = try await SampleLog()
        let auditor = try await Auditor.open(store: log.store)
        var request = AuditExportRequest()
        request.cursor = cursor
        let error = await #expect(throws: AuditError.self) {
            _ = try await auditor.export(request, visibleTo: SampleLog.admin)
        }
        #expect(error?.code == .malformed)
    }

    @Test(
        "a field is quoted where it must be, and never a formula",
        arguments: [
            ("plain", "plain"), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""),
            ("a\r\nb", "\"a\r\nb\""),
            ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@a", "'@a"), ("\ta", "'\ta"),
            ("=a,b", "\"'=a,b\""), ("", ""), ("\r\nx", "\"'\r\nx\""),
        ])
    func csvFields(text: String, field: String) {
        #expect(AuditCSV.field(text) == field)
    }

    @Test("CSV begins with the columns and has a field for each")
    func csv() async throws {
        let log = try await SampleLog()
        var request = AuditExportRequest()
        request.format = .csv
        let export = try await Auditor.open(store: log.store).export(
            request, visibleTo: SampleLog.admin)
        let lines = export.content.split(separator: "\r\n")
        #expect(
            lines.first == """
                position,time,conversationId,sequence,type,runId,step,tool,effect,outcome,\
                approvalId,approver,level,argumentsDigest,digest
                """)
        #expect(
            lines.allSatisfy {
                $0.split(separator: ",", omittingEmptySubsequences: false).count == 15
            })
    }
}
