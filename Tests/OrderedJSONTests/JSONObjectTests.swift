import OrderedJSON
import Testing

@Suite("JSON objects")
struct JSONObjectTests {
    @Test("setting replaces in place, appends, and removes", arguments: [3, 16, 17, 200])
    func setting(count: Int) {
        var object = JSONObject((0..<count).map { ("key \($0)", JSONValue.number(JSONNumber($0))) })
        object["key 1"] = "new"
        object["added"] = true
        object["key 0"] = nil
        object["absent"] = nil
        var expected = (1..<count).map { "key \($0)" }
        expected.append("added")
        #expect(object.keys == expected)
        #expect(object["key 1"] == "new")
        #expect(object["key 0"] == nil)
        #expect(object["key \(count - 1)"] == .number(JSONNumber(count - 1)))
        #expect(object["added"] == true)
    }

    @Test("an object shrunk and grown around the index threshold finds every key")
    func shrinking() {
        var object = JSONObject()
        for index in 0..<40 { object["k\(index)"] = .number(JSONNumber(index)) }
        for index in 0..<30 { object["k\(index)"] = nil }
        for index in 100..<120 { object["k\(index)"] = .number(JSONNumber(index)) }
        for index in Array(30..<40) + Array(100..<120) {
            #expect(object["k\(index)"]?.intValue == index)
        }
        #expect(object["k5"] == nil)
        #expect(object.count == 30)
    }

    @Test("a hundred thousand keys take no quadratic time", .timeLimit(.minutes(1)))
    func manyKeys() throws {
        let count = 100_000
        var object = JSONObject()
        for index in 0..<count { object["key number \(index)"] = true }
        let value = try JSONValue(parsing: JSONValue.object(object).serialized())
        #expect(value.objectValue == object)
        let found = (0..<count).count { value["key number \($0)"] == true }
        #expect(found == count)
    }

    @Test("keys that are canonically equivalent do not slow look-up", .timeLimit(.minutes(1)))
    func equivalentKeys() {
        // All orders of these marks are canonically equivalent, so as plain strings all 5,040
        // keys would share one hash and be equal.
        let marks: [Unicode.Scalar] = [
            "\u{0334}", "\u{0327}", "\u{031B}", "\u{0323}", "\u{0301}", "\u{0358}", "\u{0345}",
        ]
        var orders: [[Unicode.Scalar]] = [[]]
        for mark in marks {
            orders = orders.flatMap { order in
                (0...order.count).map { order[..<$0] + [mark] + order[$0...] }
            }
        }
        let keys = orders.map { String(String.UnicodeScalarView(["a"] + $0)) }
        #expect(Set(keys).count == 1)
        let object = JSONObject(keys.map { ($0, JSONValue.null) })
        #expect(object.count == 5_040)
        #expect(keys.allSatisfy { object[$0] == .null })
    }

    @Test("equality heeds order and spelling, the canonical form does not")
    func equality() throws {
        let first = try JSONValue(parsing: #"{"a":1,"b":[1.0]}"#)
        let second = try JSONValue(parsing: #"{"b":[1e0],"a":1}"#)
        #expect(first != second)
        #expect(first.hashValue == first.hashValue)
        #expect(first.canonicalBytes() == second.canonicalBytes())
        #expect(Set([first, second, first]).count == 2)
    }

    @Test("canonical keys are sorted by UTF-16 code units")
    func canonicalOrder() throws {
        let value = try JSONValue(
            parsing: #"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"😀":5,"\u0080":6,"ö":7,"":8,"10":9}"#)
        let text = String(decoding: value.canonicalBytes(), as: UTF8.self)
        #expect(
            text == #"{"":8,"\r":2,"1":4,"10":9,"\#u{80}":6,"ö":7,"€":1,"😀":5,"\#u{fb33}":3}"#
        )
    }
}
