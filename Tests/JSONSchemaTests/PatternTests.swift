import JSONSchema
import OrderedJSON
import Testing

@Suite("JSON Schema patterns")
struct PatternTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        try Schema(compiling: ["pattern": .string(pattern)]).validate(.string(text)).isEmpty
    }

    @Test(
        "a pattern matches what it should",
        arguments: [
            ("", ["", "a"], []), ("^$", [""], ["a", "\n"]), ("a|b|", ["", "c"], []),
            ("^(a|bc)$", ["a", "bc"], ["ab", "c", ""]), ("^a*$", ["", "aaa"], ["ab"]),
            ("^a+b?$", ["a", "aab"], ["b", "abb"]), ("^a{2}$", ["aa"], ["a", "aaa"]),
            ("^a{2,}$", ["aa", "aaaa"], ["a"]), ("^a{1,3}$", ["a", "aaa"], ["", "aaaa"]),
            ("^a{0}b$", ["b"], ["ab"]), ("^(?:ab)+?$", ["ab", "abab"], ["aba"]),
            ("^(?<year>\\d{4})-(\\d\\d)$", ["2026-01"], ["2026-1", "٢٠٢٦-01"]),
            ("^.$", ["a", "😀", "\t"], ["\n", "\r", "\u{2028}", "ab", ""]),
            ("^[abc]$", ["a", "c"], ["d", "abc"]), ("^[^abc]$", ["d", "\n", "😀"], ["a", ""]),
            ("^[a-cx-z]$", ["b", "y"], ["d", "-"]), ("^[-a]$", ["-", "a"], ["b"]),
            ("^[a-]$", ["-", "a"], ["b"]), ("^[\\]\\-^]$", ["]", "-", "^"], ["\\", "a"]),
            ("^[\\d-x]$", ["1", "-", "x"], ["a"]), ("^[^\\W_]+$", ["a1"], ["_", "a b"]),
            ("^[]$", [], ["", "a"]), ("^[^]$", ["a", "\n"], [""]),
            ("^[\\s\\S]$", ["\n", "a"], [""]), ("^[\\b]$", ["\u{8}"], ["b"]),
            ("^\\w+\\W\\s\\S\\D$", ["a_1- xx"], ["a_1- x1"]),
            ("^\\s$", [" ", "\u{A0}", "\u{FEFF}", "\u{2029}", "\t"], ["\u{200B}", "a"]),
            ("\\bcat\\b", ["cat", "a cat.", "-cat-"], ["cats", "concat", "_cat"]),
            ("\\Bcat", ["concat"], ["cat", "a cat"]),
            ("^\\t\\n\\v\\f\\r\\0$", ["\t\n\u{B}\u{C}\r\0"], [""]),
            ("^\\x41\\u0042\\u{43}\\cJ$", ["ABC\n"], ["ABC"]),
            ("^\\ud83d\\ude00$", ["😀"], ["😁"]), ("^[\\u{1F600}-\\u{1F610}]$", ["😁"], ["🙂"]),
            ("^\\.\\*\\/\\-\\$\\{\\}$", [".*/-${}"], [""]), ("^a{b}{,2}$", ["a{b}{,2}"], ["a"]),
            ("^\\p{L}+$", ["aéß", "日本"], ["a1", ""]), ("^\\p{Lu}\\P{Lu}$", ["Aa", "É1"], ["AA"]),
            ("^[\\p{Letter}\\p{Nd}_]+$", ["aé٣_"], ["a b"]),
            ("^\\p{gc=Sc}$", ["€"], ["E"]), ("^\\p{White_Space}$", [" "], ["a"]),
            ("^(?!-)[a-z-]+(?<!-)$", ["a", "a-b"], ["-a", "a-", ""]),
            ("^(?=.*\\d)(?=.*[a-z])(?=.*[A-Z]).{4,}$", ["aA1x"], ["aA1", "aaa1", "AAA1"]),
            ("(?<=\\$)\\d+(?!\\d|%)", ["$5", "a$12"], ["5", "$5%"]),
            ("^(?!.*(?:foo(?!bar)))", ["foobar", "x"], ["foo", "foobaz"]),
            ("^((a*)*)*$", ["", "aaa"], ["b"]), ("(^|,)x($|,)", ["x", "a,x", "x,b"], ["axb"]),
            (
                "^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$", ["192.168.0.1"],
                ["1.2.3", "256.1.1.1"]
            ),
        ] as [(String, [String], [String])])
    func matching(pattern: String, matching: [String], others: [String]) throws {
        for text in matching { #expect(try matches(pattern, text), "\(pattern) on \(text)") }
        for text in others { #expect(try !matches(pattern, text), "\(pattern) on \(text)") }
    }

    @Test(
        "what is no pattern, or cannot be matched in bounded time, is refused",
        arguments: [
            ("(", .invalidPattern), (")", .invalidPattern), ("(?", .invalidPattern),
            ("(?x)", .invalidPattern), ("[", .invalidPattern), ("[z-a]", .invalidPattern),
            ("*", .invalidPattern), ("a**", .invalidPattern), ("a{2,1}", .invalidPattern),
            ("^*", .invalidPattern), ("(?=a)*", .invalidPattern), ("\\", .invalidPattern),
            ("\\A", .invalidPattern), ("\\x4", .invalidPattern), ("\\u12", .invalidPattern),
            ("\\u{110000}", .invalidPattern), ("\\ud800", .invalidPattern),
            ("\\c1", .invalidPattern),
            ("(?<a", .invalidPattern), ("\\p", .invalidPattern), ("\\p{L", .invalidPattern),
            ("(a)\\1", .unsupportedKeyword), ("(?<n>a)\\k<n>", .unsupportedKeyword),
            ("\\p{Script=Greek}", .unsupportedKeyword), ("a{1000000}", .tooLarge),
            ("((a{100}){100}){100}", .tooLarge), ("((){10000}){10000}", .tooLarge),
            (String(repeating: "(", count: 5000), .invalidPattern),
        ] as [(String, SchemaError.Code)])
    func refused(pattern: String, code: SchemaError.Code) {
        let error = #expect(throws: SchemaError.self) {
            try Schema(compiling: ["properties": ["a": ["pattern": .string(pattern)]]])
        }
        #expect(error?.code == code)
        #expect(error?.pointer.description == "/properties/a/pattern")
    }

    @Test(
        "patterns that ruin a backtracking engine take linear time", .timeLimit(.minutes(1)),
        arguments: [
            "^(a+)+$", "^(a|aa)+$", "^(a*)*b$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$",
            "^(?=(a+)+$)", "(?<!(a+)+b)c",
        ])
    func hostile(pattern: String) throws {
        let text = String(repeating: "a", count: 5_000) + "!"
        #expect(try !matches(pattern, text))
    }

    @Test("a match that would take too long is given up, and counts as a violation")
    func givenUp() throws {
        let schema = try Schema(
            compiling: ["pattern": "(.{0,400}){2}x"], limits: SchemaLimits(steps: 1_000))
        let text = String(repeating: "a", count: 20_000)
        #expect(schema.validate(.string(text)).map(\.keyword) == ["$limit"])
    }
}
