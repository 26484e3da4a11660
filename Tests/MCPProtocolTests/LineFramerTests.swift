import MCPProtocol
import Testing

@Suite("Lines of a stream")
struct LineFramerTests {
    @Test("lines are the same, however the bytes are cut", arguments: 1...9)
    func chunks(size: Int) {
        var framer = LineFramer(limitBytes: 8, headBytes: 4)
        let bytes = Array("one\r\n\n \t\n \ttwo\n12345678\n123456789abc\n\r\nlast".utf8)
        var lines: [LineFramer.Line] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines += framer.append(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        #expect(
            lines == [
                .whole(Array("one".utf8)), .whole(Array(" \ttwo".utf8)),
                .whole(Array("12345678".utf8)), .tooLong(head: Array("1234".utf8)),
            ])
        #expect(framer.finish() == Array("last".utf8))
        #expect(framer.finish() == nil)
    }

    @Test("a line that is too long and never ends is said once, and is no last line")
    func endless() {
        var framer = LineFramer(limitBytes: 2)
        #expect(framer.append(Array("123".utf8)) == [.tooLong(head: Array("123".utf8))])
        #expect(framer.append(Array("456".utf8)).isEmpty)
        #expect(framer.finish() == nil)
    }
}
