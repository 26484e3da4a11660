import DurableTesting
import OrderedJSON
import Testing

@Suite("Hostile JSON text")
struct HostileTextTests {
    @Test("there are some hundreds of cases")
    func enough() throws {
        #expect(try Fixtures.cases("accept.tsv").count > 100)
        #expect(try Fixtures.cases("refuse.tsv").count > 300)
        #expect(try Fixtures.cases("either.tsv").count > 20)
    }

    @Test("what must be read is read, and written as it should be")
    func accepted() throws {
        for item in try Fixtures.cases("accept.tsv") {
            do {
                let value = try JSONValue(parsing: item.input)
                let expected = item.text(0) == "=" ? item.input : item.rest[0]
                #expect(
                    value.serialized() == expected, "\(item.name) was written as \(value.text)")
                checkSurvival(of: value, in: item)
            } catch {
                Issue.record("\(item.name) was refused: \(error)")
            }
        }
    }

    @Test("what must be refused is refused, with the reason and the place")
    func refused() throws {
        for item in try Fixtures.cases("refuse.tsv") {
            do {
                let value = try JSONValue(parsing: item.input)
                Issue.record("\(item.name) was read as \(value.text.prefix(100))")
            } catch {
                #expect(error.code.rawValue == item.text(0), "\(item.name): \(error)")
                #expect(String(error.offset) == item.text(1), "\(item.name): \(error)")
            }
        }
    }

    @Test("what may be either is the same after a round trip, if it is read")
    func either() throws {
        for item in try Fixtures.cases("either.tsv") {
            do {
                checkSurvival(of: try JSONValue(parsing: item.input), in: item)
            } catch {
                #expect(error.offset <= item.input.count)
            }
        }
    }

    @Test("every text cut short is refused at its end or before")
    func cut() throws {
        for item in try Fixtures.cases("accept.tsv") where item.input.count < 200 {
            // Inside a number or the white space around, a beginning is a whole text.
            guard let first = item.input.first, "[{\"".utf8.contains(first) else { continue }
            let end = item.input.lastIndex { "]}\"".utf8.contains($0) } ?? 0
            for length in 0..<end {
                let error = #expect(throws: JSONError.self, "\(item.name) cut to \(length)") {
                    try JSONValue(parsing: item.input[..<length])
                }
                #expect((error?.offset ?? .max) <= length)
            }
        }
    }

    @Test("no changed byte crashes, and what is still read survives")
    func changed() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed)
        for item in try Fixtures.cases("accept.tsv") where item.input.count < 200 {
            for _ in 0..<20 {
                var input = item.input
                let place = Int.random(in: input.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: input[place] = UInt8.random(in: 0...255, using: &random)
                case 1: input.remove(at: place)
                default:
                    input.insert(
                        #"[]{}",:\0-e.u"#.utf8.randomElement(using: &random) ?? 0, at: place)
                }
                do {
                    checkSurvival(of: try JSONValue(parsing: input), in: item)
                } catch {
                    #expect(error.offset <= input.count)
                }
            }
        }
    }

    private func checkSurvival(of value: JSONValue, in item: Fixtures.Case) {
        for written in [value.serialized(), value.serialized(pretty: true)] {
            do {
                #expect(try JSONValue(parsing: written) == value, "\(item.name)")
            } catch {
                Issue.record("\(item.name) was written as something refused: \(error)")
            }
        }
        do {
            let canonical = value.canonicalBytes()
            #expect(
                try JSONValue(parsing: canonical).canonicalBytes() == canonical, "\(item.name)")
        } catch {
            Issue.record("\(item.name) has a canonical form that is refused: \(error)")
        }
    }
}
