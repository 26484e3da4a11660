/// What the `Accept` and `Content-Type` headers of a request say.
enum MediaTypes {
    /// Which forms of an answer a client takes.
    struct Accepted: Equatable {
        /// A single JSON object.
        var json: Bool
        /// A stream of events.
        var events: Bool
    }

    /// Reads the `Accept` headers; without any, everything is taken but streams.
    ///
    /// A stream is sent only to clients that name it, since a wildcard is what tools send that
    /// cannot read one.
    static func accepted(_ headers: [String]) -> Accepted {
        guard !headers.isEmpty else { return Accepted(json: true, events: false) }
        var accepted = Accepted(json: false, events: false)
        for range in headers.flatMap({ $0.split(separator: ",") }) {
            let parts = range.split(separator: ";").map { trimmed($0) }
            guard let type = parts.first, !parts.dropFirst().contains(where: isZeroWeight) else {
                continue
            }
            switch type {
            case "application/json", "application/*", "*/*": accepted.json = true
            case "text/event-stream", "text/*": accepted.events = true
            default: break
            }
        }
        return accepted
    }

    /// Whether a `Content-Type` is JSON, in UTF-8 where it names an encoding.
    static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let parts = contentType.split(separator: ";").map { trimmed($0) }
        guard parts.first == "application/json" else { return false }
        return parts.dropFirst().allSatisfy { parameter in
            guard parameter.hasPrefix("charset=") else { return true }
            return ["utf-8", "\"utf-8\"", "utf8"].contains(String(parameter.dropFirst(8)))
        }
    }

    private static func isZeroWeight(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q="), let weight = Double(parameter.dropFirst(2)) else {
            return false
        }
        return weight <= 0
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text.lowercased()
    }
}
