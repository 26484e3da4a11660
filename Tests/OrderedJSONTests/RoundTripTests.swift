import DurableTesting
import OrderedJSON
import Testing

@Suite("JSON round trips")
struct RoundTripTests {
    @Test("a random value is the same after being written and read, in every style")
    func values() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed)
        for _ in 0..<400 {
            let value = Self.value(&random, depth: 5)
            #expect(try JSONValue(parsing: value.serialized()) == value)
            #expect(try JSONValue(parsing: value.serialized(pretty: true)) == value)
            let canonical = value.canonicalBytes()
            let again = try JSONValue(parsing: canonical)
            #expect(again.canonicalBytes() == canonical)
            #expect(Self.shuffled(value, &random).canonicalBytes() == canonical)
        }
    }

    @Test("two random numbers share a canonical text exactly if they have one value")
    func numbers() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed)
        for _ in 0..<3_000 {
            let first = try JSONNumber(parsing: Self.smallNumber(&random))
            let second = try JSONNumber(parsing: Self.smallNumber(&random))
            let areEqual = first.canonicalText == second.canonicalText
            #expect(areEqual == (Self.thousandths(first) == Self.thousandths(second)))
            #expect(
                first.isLess(than: second) == (Self.thousandths(first) < Self.thousandths(second)))
        }
    }

    /// A value with members in another order and numbers spelt otherwise.
    private static func shuffled(
        _ value: JSONValue, _ random: inout SeededGenerator
    ) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { shuffled($0, &random) })
        case .object(let object):
            let members = object.members.shuffled(using: &random)
            return .object(JSONObject(members.map { ($0.key, shuffled($0.value, &random)) }))
        case .number(let number) where !number.text.contains(where: { "eE.".contains($0) }):
            let suffix = [".0", "e0", ".00E+0", ""].randomElement(using: &random)
            do {
                return .number(try JSONNumber(parsing: number.text + (suffix ?? "")))
            } catch {
                return value
            }
        default: return value
        }
    }

    private static func value(_ random: inout SeededGenerator, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .number(JSONNumber(Int(truncatingIfNeeded: random.next())))
        case 3:
            return JSONNumber(Double(bitPattern: random.next())).map(JSONValue.number) ?? .null
        case 4: return .string(string(&random))
        case 5:
            let count = Int.random(in: 0..<6, using: &random)
            return .array((0..<count).map { _ in value(&random, depth: depth - 1) })
        default:
            let count = Int.random(in: 0..<24, using: &random)
            return .object(
                JSONObject(
                    (0..<count).map { _ in (string(&random), value(&random, depth: depth - 2)) }))
        }
    }

    private static func string(_ random: inout SeededGenerator) -> String {
        let bounds: [UInt32] = [0x20, 0x80, 0x80, 0x80, 0x800, 0x10000, 0x110000]
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0..<30, using: &random) {
            let bound = bounds.randomElement(using: &random) ?? 0x80
            let scalar = Unicode.Scalar(UInt32.random(in: 0..<bound, using: &random))
            scalars.append(scalar ?? "\u{FFFD}")
        }
        return String(scalars)
    }

    /// A number of at most three places, one of few values in many spellings.
    private static func smallNumber(_ random: inout SeededGenerator) -> String {
        let digits = String(Int.random(in: -30...30, using: &random))
        let fraction = ["", ".0", ".5", ".50", ".05", ".500"].randomElement(using: &random) ?? ""
        let exponent = ["", "e0", "E1", "e+1", "e-1"].randomElement(using: &random) ?? ""
        return digits + fraction + exponent
    }

    private static func thousandths(_ number: JSONNumber) -> Int {
        Int(((number.doubleValue ?? 0) * 1000).rounded())
    }
}
