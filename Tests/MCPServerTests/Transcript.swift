import EpollServer
import Foundation
import MCPProtocol
import OrderedJSON
import Testing

/// What a client sends and what it gets, read from `fixtures/transcripts`.
struct Transcript: Sendable, CustomTestStringConvertible {
    /// One message of the client, and what comes back for it.
    struct Exchange: Sendable {
        /// The transport that it is for, where it is not for both.
        let only: String?
        /// The message, where it is JSON.
        let message: JSONValue?
        /// The message's bytes.
        let sent: [UInt8]
        /// HTTP headers besides the usual ones.
        let headers: HTTPHeaders
        /// The HTTP status.
        let status: Int
        /// The messages that come back, in order; the string `<any>` stands for any value.
        let received: [JSONValue]
    }

    let name: String
    let exchanges: [Exchange]

    var testDescription: String { name }

    /// All transcripts, in order of their paths.
    static let all: [Transcript] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../fixtures/transcripts").standardizedFileURL
        do {
            return try FileManager.default.subpathsOfDirectory(atPath: root.path())
                .filter { $0.hasSuffix(".json") }.sorted()
                .map { try Transcript(name: $0, Data(contentsOf: root.appending(path: $0))) }
        } catch {
            Issue.record("The transcripts cannot be read: \(error)")
            return []
        }
    }()

    private init(name: String, _ data: Data) throws {
        let json = try JSONValue(parsing: data)
        let version = try #require(json["version"]?.stringValue)
        self.name = name
        exchanges = try (json["exchanges"]?.arrayValue ?? []).map { exchange in
            let message = exchange["send"]
            let sent =
                try message?.serialized() ?? Array(#require(exchange["sendText"]?.stringValue).utf8)
            let received = try #require(exchange["receive"]?.arrayValue)
            return Exchange(
                only: exchange["over"]?.stringValue, message: message, sent: sent,
                headers: Self.headers(message, version: version, exchange["headers"]),
                status: exchange["status"]?.intValue ?? (received.isEmpty ? 202 : 200),
                received: received)
        }
    }

    /// The headers that a client of that version sends with a message.
    private static func headers(
        _ message: JSONValue?, version: String, _ more: JSONValue?
    ) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        ]
        let params = message?["params"]
        if let inBody = params?["_meta"]?[MetaKey.protocolVersion]?.stringValue {
            headers[HeaderName.protocolVersion] = inBody
            headers[HeaderName.method] = message?["method"]?.stringValue
            headers[HeaderName.name] = params?["name"]?.stringValue.map(HeaderValue.encode)
        } else if message?["method"]?.stringValue != Method.initialize {
            headers[HeaderName.protocolVersion] = version
        }
        for member in more?.objectValue?.members ?? [] {
            headers[member.key] = member.value.stringValue
        }
        return headers
    }

    /// Whether a message is the expected one; the order of members does not count.
    static func matches(_ expected: JSONValue, _ actual: JSONValue?) -> Bool {
        guard let actual else { return false }
        if expected == "<any>" { return true }
        switch (expected, actual) {
        case (.object(let left), .object(let right)):
            return left.count == right.count
                && left.members.allSatisfy { matches($0.value, right[$0.key]) }
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy(matches)
        default: return expected == actual
        }
    }
}
