import Foundation
import OrderedJSON
import Synchronization
import Testing

@Suite("JSON limits")
struct JSONLimitsTests {
    @Test(
        "each limit is exact",
        arguments: [
            ("[[1]]", JSONLimits(depth: 2), nil), ("[[1]]", JSONLimits(depth: 1), .tooDeep),
            ("1", JSONLimits(depth: 0), nil), ("[]", JSONLimits(depth: 0), .tooDeep),
            ("12345", JSONLimits(bytes: 5), nil), ("123456", JSONLimits(bytes: 5), .tooLong),
            ("-1.5", JSONLimits(numberBytes: 4), nil),
            ("-1.50", JSONLimits(numberBytes: 4), .numberTooLong),
            (#"{"a":[1,2]}"#, JSONLimits(values: 4), nil),
            (#"{"a":[1,2,3]}"#, JSONLimits(values: 4), .tooManyValues),
        ] as [(String, JSONLimits, JSONError.Code?)])
    func exact(text: String, limits: JSONLimits, code: JSONError.Code?) {
        do {
            _ = try JSONValue(parsing: text, limits: limits)
            #expect(code == nil)
        } catch {
            #expect(error.code == code)
        }
    }

    @Test("a depth beyond the deepest is taken as the deepest")
    func clamped() {
        var limits = JSONLimits(depth: 1_000_000)
        #expect(limits.depth == JSONLimits.deepest)
        limits.depth = .max
        #expect(limits.depth == JSONLimits.deepest)
        limits.depth = -1
        #expect(limits.depth == 0)
    }

    @Test("the deepest value is read, compared, written and freed on a stack of 512 KiB")
    func smallStack() async {
        let result = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Self.useDeepValues()) }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(result == [.tooDeep, .tooDeep, .tooDeep])
    }

    private static func useDeepValues() -> [JSONError.Code?] {
        let depth = JSONLimits.deepest
        let limits = JSONLimits(depth: depth)
        for unit in [("[", "]"), (#"{"a":"#, "}")] {
            let text =
                String(repeating: unit.0, count: depth - 1) + "[]"
                + String(repeating: unit.1, count: depth - 1)
            do throws(JSONError) {
                let value = try JSONValue(parsing: text, limits: limits)
                let copy = try JSONValue(parsing: value.serialized(pretty: true), limits: limits)
                guard value == copy, value.hashValue == copy.hashValue,
                    value.canonicalBytes() == copy.canonicalBytes()
                else { return [] }
            } catch {
                return [error.code]
            }
        }
        return ["[", #"{"a":"#, #"[{"a":"#].map { unit in
            do throws(JSONError) {
                _ = try JSONValue(parsing: String(repeating: unit, count: 10_000), limits: limits)
                return nil
            } catch {
                return error.code
            }
        }
    }

    @Test("bytes of any kind of storage are read alike")
    func storage() throws {
        let bytes = Array(#"[1,"é"]"#.utf8)
        let expected: JSONValue = [1, "é"]
        #expect(try JSONValue(parsing: bytes) == expected)
        #expect(try JSONValue(parsing: ([0] + bytes)[1...]) == expected)
        #expect(try JSONValue(parsing: bytes.lazy.map { $0 }) == expected)
        #expect(try JSONValue(parsing: Data(bytes)) == expected)
        #expect(throws: JSONError.self) { try JSONValue(parsing: [UInt8]()) }
    }
}
