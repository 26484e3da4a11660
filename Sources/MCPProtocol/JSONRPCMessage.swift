public import OrderedJSON

/// A request: it is answered with a result or an error that bears its id.
public struct JSONRPCRequest: Hashable, Sendable {
    /// Unique among the sender's requests that are not yet answered.
    public var id: RequestID
    /// The method's name.
    public var method: String
    /// The parameters; nil where the message has none.
    public var params: JSONObject?

    /// A request of these parts.
    public init(id: RequestID, method: String, params: JSONObject? = nil) {
        self.id = id
        self.method = method
        self.params = params
    }
}

/// A notification: nobody answers it.
public struct JSONRPCNotification: Hashable, Sendable {
    /// The method's name.
    public var method: String
    /// The parameters; nil where the message has none.
    public var params: JSONObject?

    /// A notification of these parts.
    public init(method: String, params: JSONObject? = nil) {
        self.method = method
        self.params = params
    }
}

/// One JSON-RPC 2.0 message, as MCP narrows it: ids are never null, parameters are objects.
///
/// Source: 2026-07-28 basic, "Messages".
public enum JSONRPCMessage: Hashable, Sendable {
    /// Asks for an answer.
    case request(JSONRPCRequest)
    /// Says something, and gets no answer.
    case notification(JSONRPCNotification)
    /// The answer to a request that succeeded.
    case result(id: RequestID, result: JSONObject)
    /// The answer to a request that failed; nil where the request's id could not be read.
    case error(id: RequestID?, error: RPCError)
}

extension JSONRPCMessage {
    /// Reads one message; members that the protocol does not name are ignored.
    ///
    /// An error reply whose id is null is read as one without.
    ///
    /// - Throws: ``MalformedMessage``, with the id of the request where that could be read.
    public init(json: JSONValue) throws(MalformedMessage) {
        guard let object = json.objectValue else {
            throw .invalidRequest("a message must be a JSON object.")
        }
        let givenID = object["id"]
        let id = givenID.flatMap(RequestID.init)
        guard object["jsonrpc"]?.stringValue == "2.0" else {
            throw .invalidRequest("'jsonrpc' must be \"2.0\".", id: id)
        }
        if let method = object["method"] {
            guard let method = method.stringValue else {
                throw .invalidRequest("'method' must be a string.", id: id)
            }
            if givenID != nil && id == nil {
                throw .invalidRequest("'id' must be a string or an integer.")
            }
            let params = object["params"]
            guard params == nil || params?.objectValue != nil else {
                throw .invalidParams("'params' must be an object.", id: id)
            }
            if let id {
                self = .request(
                    JSONRPCRequest(id: id, method: method, params: params?.objectValue))
            } else {
                self = .notification(
                    JSONRPCNotification(method: method, params: params?.objectValue))
            }
        } else if let error = object["error"] {
            guard givenID == nil || givenID?.isNull == true || id != nil else {
                throw .invalidRequest("'id' must be a string or an integer.")
            }
            self = .error(id: id, error: try RPCError(json: error))
        } else if let result = object["result"] {
            guard let id else { throw .invalidRequest("a result must have an 'id'.") }
            guard let result = result.objectValue else {
                throw .invalidRequest("'result' must be an object.", id: id)
            }
            self = .result(id: id, result: result)
        } else {
            throw .invalidRequest("a message has a 'method', a 'result' or an 'error'.", id: id)
        }
    }

    /// The message as it goes on the wire; an error without an id has no `id` member.
    public var json: JSONValue {
        var object: JSONObject = ["jsonrpc": "2.0"]
        switch self {
        case .request(let request):
            object["id"] = request.id.json
            object["method"] = .string(request.method)
            object["params"] = request.params.map(JSONValue.object)
        case .notification(let notification):
            object["method"] = .string(notification.method)
            object["params"] = notification.params.map(JSONValue.object)
        case .result(let id, let result):
            object["id"] = id.json
            object["result"] = .object(result)
        case .error(let id, let error):
            object["id"] = id?.json
            object["error"] = error.json
        }
        return .object(object)
    }
}
