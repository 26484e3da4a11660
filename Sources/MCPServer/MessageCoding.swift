import MCPProtocol
import OrderedJSON

/// How messages become bytes and come from them.
enum MessageCoding {
    /// How deep the JSON of a message may be nested.
    static let depth = 128

    /// How many values a message may hold, so that a small one cannot take much memory.
    static let values = 500_000

    /// Reads a message.
    ///
    /// - Throws: ``Undecodable``, with the id of the request where that can be read.
    static func decode(
        _ bytes: some Sequence<UInt8>, limitBytes: Int
    ) throws(Undecodable) -> JSONRPCMessage {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(
                parsing: bytes, limits: JSONLimits(depth: depth, bytes: limitBytes, values: values))
        } catch {
            throw Undecodable(id: nil, error: .parseError("\(error)"))
        }
        do throws(MalformedMessage) {
            return try JSONRPCMessage(json: json)
        } catch {
            throw Undecodable(id: error.id, error: error.rpcError)
        }
    }

    /// The bytes of a message, without a line end in or after them.
    static func encode(_ message: JSONRPCMessage) -> [UInt8] { message.json.serialized() }

    /// The bytes of a message, as one line.
    static func line(_ message: JSONRPCMessage) -> [UInt8] {
        encode(message) + [UInt8(ascii: "\n")]
    }
}

/// Bytes that are no message.
struct Undecodable: Error {
    /// The id of the request, where it can be read.
    let id: RequestID?
    /// What its sender is told.
    let error: RPCError
}
