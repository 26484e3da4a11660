import FoundationEssentials

/// Case files of `fixtures/json`; their heads describe the format.
enum Fixtures {
    struct Case: Sendable {
        let name: String
        let input: [UInt8]
        /// The fields after the input, decoded.
        let rest: [[UInt8]]

        func text(_ field: Int) -> String { String(decoding: rest[field], as: UTF8.self) }
    }

    /// The cases of one file.
    static func cases(_ file: String) throws -> [Case] {
        let here = URL(filePath: #filePath)
        let path = here.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "fixtures/json/\(file)")
        let text = try String(contentsOf: path, encoding: .utf8)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return Case(
                name: String(fields[0]), input: decode(fields[1]), rest: fields[2...].map(decode))
        }
    }

    private static func decode(_ field: Substring) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                result.append(byte)
            } else if rest.first == UInt8(ascii: "<") {
                let inner = rest.dropFirst().prefix { $0 != UInt8(ascii: ">") }
                let parts = inner.split(separator: UInt8(ascii: "*"), maxSplits: 1)
                let unit = decode(Substring(decoding: parts[1], as: UTF8.self))
                for _ in 0..<(Int(String(decoding: parts[0], as: UTF8.self)) ?? 0) {
                    result += unit
                }
                rest = rest.dropFirst(inner.count + 2)
            } else {
                result.append(
                    UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            }
        }
        return result
    }
}
