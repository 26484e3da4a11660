import DurableSecurity
import OrderedJSON
import Synchronization
import Testing

@testable import durable_mcp

@Suite("What commands write")
struct OutputTests {
    @Test(
        "text from outside cannot play tricks",
        arguments: [
            ("plain text", "plain text"), ("\u{1B}[2J", #"\u{1B}[2J"#), ("a\nb\tc", #"a\nb\tc"#),
            ("x\u{202E}y", #"x\u{202E}y"#), ("x\u{200B}y", #"x\u{200B}y"#),
            ("x\u{A0}y", #"x\u{A0}y"#), ("x\u{3164}y", #"x\u{3164}y"#), ("\u{7F}", #"\u{7F}"#),
            ("\u{85}", #"\u{85}"#), ("\u{E0041}", #"\u{E0041}"#), ("\r", #"\u{D}"#),
            ("Grüße, 世界", "Grüße, 世界"),
        ])
    func line(text: String, shown: String) {
        #expect(SafeText.line(text) == shown)
    }

    @Test("JSON keeps its meaning, and nothing unsafe stands in it")
    func json() throws {
        let value: JSONValue = ["k\u{202E}": "a\u{E0041}\n\u{7F}b", "number": 1]
        for pretty in [true, false] {
            let text = SafeText.json(value, pretty: pretty)
            #expect(try JSONValue(parsing: text) == value)
            #expect(text.unicodeScalars.allSatisfy { $0.isASCII && $0 != "\u{7F}" })
        }
        #expect(SafeText.json("\u{E0041}", pretty: false) == #""\udb40\udc41""#)
    }

    @Test("a table lines up, and a cell stays on its line")
    func table() {
        var table = TextTable("A", "LONG")
        table.add("first", "x\ny")
        table.add("z", "")
        #expect(table.text == "A      LONG\nfirst  x\\ny\nz\n")
    }

    @Test("a record is one line with time and level, without secrets")
    func record() async throws {
        let written = Mutex("")
        var scrubber = Scrubber()
        scrubber.add("open-sesame")
        let log = try LineLog(scrubber: scrubber, now: { 0 }) { line in
            written.withLock { $0 += line }
        }
        log.add("first\nopen-sesame", level: .warning)
        log.add("second")
        await log.close()
        #expect(
            written.withLock { $0 } == """
                1970-01-01T00:00:00.000Z warning: first\\n[secret]
                1970-01-01T00:00:00.000Z info: second

                """)
    }

    @Test("a reader that stands still holds nobody up, and lines that got lost are counted")
    func fullLog() async throws {
        let written = Mutex<[String]>([])
        let gate = Mutex(())
        let log = try LineLog(now: { 0 }) { line in
            gate.withLock { _ in }
            written.withLock { $0.append(line) }
        }
        gate.withLock { _ in
            for number in 0..<3000 { log.add("\(number)") }
        }
        await log.close()
        let lines = written.withLock { $0 }
        #expect(lines.count < 1100)
        #expect(lines.contains { $0.contains("lines were dropped") })
    }

    @Test(
        "a failpoint is a name, a tool and a count",
        arguments: ["after-body", "after-body:t", "after-body:2", "after-body:t:2"])
    func crashPoint(text: String) throws {
        _ = try CrashPoint.parse(text)
    }

    @Test(
        "what is no failpoint is refused",
        arguments: ["", "x", "after-body:a:b", "after-body:a:b:1"])
    func badCrashPoint(text: String) {
        let error = #expect(throws: CommandFailure.self) { _ = try CrashPoint.parse(text) }
        #expect(error?.code == .usedWrongly)
    }
}
