import DurableTesting
import OrderedJSON
import Testing

@Suite("JSON numbers")
struct JSONNumberTests {
    private func number(_ text: String) throws -> JSONNumber { try JSONNumber(parsing: text) }

    @Test(
        "integers are found by value",
        arguments: [
            ("1", 1), ("1.0", 1), ("1e2", 100), ("100e-2", 1), ("-0", 0), ("-0.0", 0),
            ("9223372036854775807", .max), ("9223372036854775807.0", .max),
            ("-9223372036854775808", .min), ("9223372036854775808", nil), ("1.5", nil),
            ("1e19", nil), ("1e999999999", nil), ("1e-1", nil), ("0e99", 0),
        ] as [(String, Int?)])
    func integers(text: String, expected: Int?) throws {
        #expect(try number(text).intValue == expected)
    }

    @Test("doubles are written with the fewest digits, and only finite ones")
    func doubles() {
        #expect(JSONNumber(0.1)?.text == "0.1")
        #expect(JSONNumber(1.0)?.text == "1")
        #expect(JSONNumber(-0.0)?.text == "0")
        #expect(JSONNumber(1e21)?.text == "1e+21")
        #expect(JSONNumber(Double.leastNonzeroMagnitude)?.text == "5e-324")
        #expect(JSONNumber(123456.789)?.text == "123456.789")
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(Double.infinity) == nil)
    }

    @Test("a double survives being written, whichever it is")
    func doubleRoundTrip() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed)
        for _ in 0..<2_000 {
            let double = Double(bitPattern: random.next())
            guard let number = JSONNumber(double) else { continue }
            #expect(number.doubleValue == double)
            #expect(try JSONValue(parsing: number.text) == .number(number))
        }
    }

    @Test(
        "only a number and nothing else is a number",
        arguments: [" 1", "1 ", "", "\"1\"", "[1]", "1,"])
    func grammar(text: String) {
        #expect(throws: JSONError.self) { try JSONNumber(parsing: text) }
    }

    @Test(
        "values are compared exactly",
        arguments: [
            ("1", "2"), ("-2", "-1"), ("-1", "0"), ("0", "1e-999999999"),
            ("0.1", "0.10000000000000001"),
            ("9007199254740992", "9007199254740993"), ("99", "1e2"), ("-1e2", "-99"),
            ("1e999999998", "1e999999999"), ("-1e999999999", "1e-999999999"), ("1.5", "1.51"),
        ])
    func order(lesser: String, greater: String) throws {
        #expect(try number(lesser).isLess(than: number(greater)))
        #expect(try !number(greater).isLess(than: number(lesser)))
        #expect(try !number(lesser).hasValue(of: number(greater)))
        #expect(try number(lesser).canonicalText != number(greater).canonicalText)
    }

    @Test(
        "spellings of one value are one value",
        arguments: [
            ["1", "1.0", "1e0", "10e-1", "0.1e1", "1.000e+00"],
            ["0", "-0", "0.0", "-0e5", "0e-999"],
            ["100", "1e2", "1.00E+2"], ["-0.001", "-1e-3", "-0.00100"],
            ["1e999999999", "10e999999998", "0.1e1000000000"],
        ])
    func spellings(texts: [String]) throws {
        let first = try number(texts[0])
        for text in texts {
            #expect(try number(text).hasValue(of: first))
            #expect(try number(text).canonicalText == first.canonicalText)
            #expect(try !number(text).isLess(than: first))
        }
    }

    @Test(
        "multiples are exact, and quick whatever the exponent",
        arguments: [
            ("10", "5", true), ("7", "2", false), ("0.3", "0.1", true), ("0.35", "0.1", false),
            ("0", "3", true), ("1e999999999", "7", false), ("1e999999999", "8", true),
            ("1", "1e-999999999", true), ("1e-999999999", "1", false), ("-9", "3", true),
            ("19.99", "0.01", true), ("4.02", "0.01", true), ("1", "0", nil), ("100", "1e2", true),
            ("123456789012345678901234567890", "999999999999999999", false),
            ("999999999999999999000", "999999999999999999", true),
        ] as [(String, String, Bool?)])
    func multiples(text: String, divisor: String, expected: Bool?) throws {
        #expect(try number(text).isMultiple(of: number(divisor)) == expected)
    }
}
