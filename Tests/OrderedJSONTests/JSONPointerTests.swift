import OrderedJSON
import Testing

@Suite("JSON Pointers")
struct JSONPointerTests {
    private static let document = #"""
        {"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6,
         " ":7,"m~n":8,"é":9}
        """#

    @Test(
        "a pointer finds its place",
        arguments: [
            ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/e^f", "3"),
            ("/g|h", "4"), (#"/i\j"#, "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
            ("/é", "9"),
            ("#/foo/1", #""baz""#), ("#/c%25d", "2"), ("#/%20", "7"), ("#/m~0n", "8"),
            ("#/a~1b", "1"), ("#/%C3%A9", "9"), ("#/%6a", nil), ("/foo/2", nil), ("/foo/-", nil),
            ("/foo/01", nil), ("/foo/+1", nil), ("/foo/", nil), ("/foo/0/x", nil), ("/bar", nil),
            ("/foo/99999999999999999999", nil), ("/e\u{301}", nil),
        ] as [(String, String?)])
    func evaluate(text: String, expected: String?) throws {
        let document = try JSONValue(parsing: Self.document)
        #expect(try document[JSONPointer(parsing: text)]?.text == expected)
    }

    @Test("the empty pointer is the whole value")
    func whole() throws {
        let document = try JSONValue(parsing: Self.document)
        #expect(try document[JSONPointer(parsing: "")] == document)
        #expect(try document[JSONPointer(parsing: "#")] == document)
    }

    @Test("a pointer is written as it was read", arguments: ["", "/", "/a~1b/m~0n/0", "//", "/é"])
    func written(text: String) throws {
        #expect(try JSONPointer(parsing: text).description == text)
    }

    @Test(
        "what is no pointer is refused at its place",
        arguments: [
            ("foo", 0), ("/a/~2", 4), ("/~", 2), ("#foo", 1), ("#/%4", 3), ("#/a%zz", 4),
            ("#/a/%C3/b", 4), ("0/a", 0),
        ])
    func refused(text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try JSONPointer(parsing: text) }
        #expect(error?.code == .invalidPointer)
        #expect(error?.offset == offset)
    }
}
