internal import FoundationEssentials

/// A file that holds one token; `-` is standard input.
struct TokenFile {
    private static let bytesLimit = 4096

    let path: String
    let folder: String

    /// The token, without white space around it.
    func read() throws(CommandFailure) -> String {
        let data: Data
        do {
            if path == "-" {
                data = try Data(contentsOf: URL(filePath: "/dev/stdin"))
            } else {
                data = try Data(contentsOf: URL(filePath: path))
            }
        } catch {
            throw CommandFailure("The token file '\(path)' cannot be read: \(error)")
        }
        let text = String(decoding: data.prefix(Self.bytesLimit), as: UTF8.self)
        let token = text.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
        guard !token.isEmpty else { throw CommandFailure("The token file '\(path)' is empty.") }
        return String(token)
    }
}
