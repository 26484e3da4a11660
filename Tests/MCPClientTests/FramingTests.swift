import MCPProtocol
import OrderedJSON
import Testing

@testable import MCPClient

@Suite("Lines from a server")
struct FramingTests {
    @Test("only the last of what was complained of is kept, scrubbed and visible")
    func complaints() {
        var tail = ComplaintTail()
        let scrub: (String) -> String = { $0.replacing("hunter2", with: "***") }
        _ = tail.append(Array("the word is hunt".utf8), scrub: scrub)
        #expect(tail.append(Array("er2\n\u{1B}[31mred\u{202E}\n".utf8), scrub: scrub).count == 2)
        #expect(tail.text == "the word is ***\n\u{FFFD}[31mred\u{FFFD}")
        for number in 0..<2_000 {
            _ = tail.append(Array("line \(number)\n".utf8), scrub: scrub)
        }
        #expect(tail.text.utf8.count <= ComplaintTail.limitBytes)
        #expect(tail.text.hasSuffix("line 1999"))
        _ = tail.append(Array("cut off".utf8), scrub: scrub)
        #expect(tail.finish(scrub: scrub) == "cut off")
        #expect(tail.text.hasSuffix("line 1999\ncut off"))
    }

    @Test("a secret is not shown where a line is cut")
    func cutComplaint() {
        var tail = ComplaintTail()
        let text = String(repeating: "x", count: ComplaintTail.shownCharacters - 3) + "hunter2"
        let line = text + String(repeating: "y", count: ComplaintTail.limitBytes) + "\n"
        let shown = tail.append(Array(line.utf8)) { $0.replacing("hunter2", with: "***") }
        #expect(shown.count == 1)
        #expect(shown.first?.contains("hun") == false)
        #expect(shown.first?.hasSuffix("***y … (cut)") == false)
        #expect(shown.first?.hasSuffix("*** … (cut)") == true)
    }

    @Test(
        "the id of a message that is too large is found before anything large",
        arguments: [
            (#"{"jsonrpc":"2.0","id":17,"result":{"content":["#, RequestID.integer(17)),
            (#"{"id" : "a\"b" , "result":{"#, .string("a\"b")),
            (#"{"result":{"id":1},"x":["id",2],"id":3,"#, .integer(3)),
            (#"{"jsonrpc":"2.0","result":{"id":1},"text":"id","#, nil),
            (#"{"id":1"#, nil), (#"{"id":1.5,"#, nil), (#"["id",1,"#, nil),
            (#"{"id":{"id":4},"#, nil),
            ("", nil), (#"{"id":"unfinished"#, nil),
        ] as [(String, RequestID?)])
    func head(text: String, id: RequestID?) {
        #expect(MessageHead.id(in: Array(text.utf8)) == id)
    }
}
