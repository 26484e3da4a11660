import OrderedJSON
import Testing

@Suite("JSON values")
struct JSONValueTests {
    @Test("members keep their order")
    func order() {
        let value: JSONObject = ["b": 1, "a": 2]
        #expect(value.keys == ["b", "a"])
    }

    @Test(
        "what is parsed is written back alike",
        arguments: [
            #"{"b":1,"a":[true,false,null,-0.10e+5,{}],"é":"\"\\/\n","long key of many bytes":[]}"#,
            #""""#, "[]", "0", #"{"a":{"b":{"c":[[],[1],[[2]]]}}}"#, #"[{"a":1},{"a":1}]"#,
        ])
    func roundTrip(text: String) throws {
        let value = try JSONValue(parsing: text)
        #expect(value.text == text)
        #expect(try JSONValue(parsing: value.serialized(pretty: true)) == value)
    }

    @Test("escapes are decoded")
    func escapes() throws {
        let value = try JSONValue(parsing: #"["a\u00e9\ud83d\ude00\u0000\/","\t"]"#)
        #expect(value == ["aé😀\0/", "\t"])
    }

    @Test("the same letter composed and decomposed are two keys")
    func canonicalEquivalence() throws {
        let value = try JSONValue(parsing: #"{"\u00e9":1,"e\u0301":2}"#)
        #expect(value["e\u{301}"] == 2)
        #expect(value["\u{e9}"] == 1)
        #expect(JSONValue.string("e\u{301}") != .string("\u{e9}"))
    }

    @Test("ten thousand nested arrays are refused at the limit")
    func nesting() {
        let text = String(repeating: "[", count: 10_000)
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .tooDeep)
        #expect(error?.offset == 128)
    }

    @Test("a key named twice is refused where it is named again", arguments: [1, 5, 16, 17, 3000])
    func duplicates(count: Int) {
        let members = (0..<count).map { "\"key \($0)\":\($0)" }
        let text = "{" + members.joined(separator: ",") + #","key 0":0}"#
        let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
        #expect(error?.code == .duplicateKey)
        #expect(error?.offset == text.utf8.count - 10)
    }

    @Test("numbers of one value have one canonical text")
    func canonicalNumbers() throws {
        func canonical(_ text: String) throws -> String {
            String(decoding: try JSONValue(parsing: text).canonicalBytes(), as: UTF8.self)
        }
        #expect(try canonical("[1,1.0,1e0,10e-1,0.1E1]") == "[1,1,1,1,1]")
        #expect(try canonical("[100,1e2,1.00e+02]") == "[100,100,100]")
        #expect(try canonical("[-0,0.0e9,-0e-7]") == "[0,0,0]")
        #expect(try canonical("1e999999999") == "1e+999999999")
        #expect(
            try canonical("[1e20,1e21,1e-6,1e-7]") == "[100000000000000000000,1e+21,0.000001,1e-7]")
        #expect(try canonical("-123.4500") == "-123.45")
        #expect(try canonical("9007199254740993") == "9007199254740993")
    }
}
