internal import FoundationEssentials
internal import LinuxPlatform

/// A file that holds one token; `-` is standard input.
struct TokenFile {
    private static let bytesLimit = 4096

    let path: String

    /// The token, without white space around it.
    func read() throws(CommandFailure) -> String {
        let text = String(decoding: try bytes().prefix(Self.bytesLimit), as: UTF8.self)
        let token = text.trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
        guard !token.isEmpty else { throw CommandFailure("The token file '\(path)' is empty.") }
        return String(token)
    }

    private func bytes() throws(CommandFailure) -> [UInt8] {
        if path == "-" {
            guard let bytes = StandardStreams.readInput(limit: Self.bytesLimit) else {
                throw CommandFailure("The token cannot be read from standard input.")
            }
            return bytes
        }
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw CommandFailure(
                "The token file '\(path)' cannot be read. Check that it is a file and that this "
                    + "user may read it.")
        }
    }
}
