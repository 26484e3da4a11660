internal import LinuxPlatform
internal import Synchronization

/// What the loop does for one connection.
extension ServerLoop {
    // MARK: Input

    /// Reads what has arrived, and goes on with it.
    func read(_ connection: Connection) {
        // A few buffers a tick, so that one busy client does not starve the others.
        reading: for _ in 0..<4 {
            switch connection.socket.read(into: &scratch) {
            case .bytes(let count):
                switch connection.activity {
                case .reading, .handling, .streaming:
                    connection.input.append(scratch, count: count)
                case .closing, .lingering:
                    connection.discardedBytes += count
                    if connection.discardedBytes > server.limits.lingerBytes {
                        return close(connection)
                    }
                }
                if count < scratch.count { break reading }
            case .wouldBlock: break reading
            case .end:
                connection.inputEnded = true
                break reading
            case .failed: return close(connection)
            }
        }
        advance(connection)
    }

    /// Does whatever the input calls for, and watches for what is needed next.
    func advance(_ connection: Connection) {
        switch connection.activity {
        case .reading:
            // A client that sends requests and takes no responses must not fill the memory.
            connection.waitsForOutput =
                connection.unsentBytes > server.limits.streamBufferBytes
            if !connection.waitsForOutput { readRequest(connection) }
        case .handling:
            if connection.inputEnded { connection.task?.cancel() }
        case .streaming:
            if connection.inputEnded { connection.task?.cancel() }
            // More than this could only be left unread, and would then hide that the client goes.
            if connection.input.count > server.limits.pipelinedBytes { return close(connection) }
        case .closing: break
        case .lingering:
            if connection.inputEnded { return close(connection) }
        }
        watch(connection)
    }

    private func readRequest(_ connection: Connection) {
        do {
            if let parsed = try connection.parser.next(&connection.input) {
                return start(parsed, on: connection)
            }
        } catch {
            return refuse(connection, error)
        }
        if connection.inputEnded {
            connection.activity = .closing
            return markDirty(connection)
        }
        if connection.parser.owesContinue {
            connection.parser.didContinue()
            connection.output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8)
            markDirty(connection)
        }
        setInputDeadline(connection)
    }

    /// Sets the deadline of the phase that a request is in, once a phase.
    private func setInputDeadline(_ connection: Connection) {
        let phase = connection.parser.phase(connection.input)
        guard phase != connection.phase else { return }
        let limits = server.limits
        let time =
            switch phase {
            case .idle: connection.hadRequest ? limits.keepAliveIdle : limits.headDeadline
            case .head:
                // A new connection's clock already runs.
                connection.hadRequest || connection.phase == nil ? limits.headDeadline : nil
            case .body: limits.bodyDeadline
            }
        connection.phase = phase
        guard let time else { return }
        connection.inputDeadline = moment(after: time)
        schedule(connection)
    }

    private func moment(after time: Duration) -> Int64 {
        let (moment, overflow) = now.addingReportingOverflow(time.nanoseconds)
        return overflow ? Connection.never : moment
    }

    private func start(_ parsed: RequestParser.Parsed, on connection: Connection) {
        connection.activity = .handling
        connection.hadRequest = true
        connection.phase = nil
        connection.inputDeadline = Connection.never
        connection.context = ResponseEncoder.Context(
            isHead: parsed.request.method == "HEAD", isHTTP10: parsed.isHTTP10,
            keepAlive: parsed.keepAlive)
        handlerCount += 1
        let id = connection.id
        let request = parsed.request
        connection.task = Task(executorPreference: executor) {
            await self.serve(request, for: id)
        }
        if connection.inputEnded { connection.task?.cancel() }
    }

    // MARK: Responses

    private func serve(_ request: HTTPRequest, for id: ConnectionID) async {
        let response = await server.handler(request)
        switch response.body {
        case .whole(let body): finish(id, response, body)
        case .stream(let keepAlive, let produce):
            let refusal = HTTPRefusal.tooManyStreams(limit: server.limits.streams)
            let count = server.streams.add(1, ordering: .relaxed).newValue
            defer { server.streams.subtract(1, ordering: .relaxed) }
            guard count <= server.limits.streams else {
                if case .whole(let body) = refusal.response.body {
                    finish(id, refusal.response, body)
                }
                break
            }
            guard startStream(id, response, keepAlive: keepAlive) else { break }
            do {
                try await produce(HTTPStreamWriter(loop: self, connection: id))
                endStream(id)
            } catch {
                // The client must see that the body is not whole.
                if let connection = connection(id) { close(connection) }
            }
        }
        handlerCount -= 1
    }

    private func finish(_ id: ConnectionID, _ response: HTTPResponse, _ body: [UInt8]) {
        guard let connection = connection(id) else { return }
        if server.isToDrain { connection.context.keepAlive = false }
        encoder.encode(response, body: body, for: connection.context, to: &connection.output)
        goOn(connection)
    }

    private func startStream(
        _ id: ConnectionID, _ response: HTTPResponse, keepAlive: [UInt8]
    ) -> Bool {
        guard let connection = connection(id) else { return false }
        if server.isToDrain || connection.context.isHTTP10 { connection.context.keepAlive = false }
        encoder.encodeStreamHead(response, for: connection.context, to: &connection.output)
        connection.activity = .streaming
        connection.keepAlive = keepAlive
        putOffKeepAlive(connection)
        markDirty(connection)
        advance(connection)
        return self.connection(id) != nil
    }

    private func endStream(_ id: ConnectionID) {
        guard let connection = connection(id) else { return }
        connection.keepAliveTime = Connection.never
        ResponseEncoder.encodeEnd(for: connection.context, to: &connection.output)
        // Drained meanwhile: the header has promised to keep the connection, but need not.
        if server.isToDrain { connection.context.keepAlive = false }
        goOn(connection)
    }

    /// After a response: to the next request, or to the end.
    private func goOn(_ connection: Connection) {
        connection.task = nil
        connection.activity = connection.context.keepAlive ? .reading : .closing
        markDirty(connection)
        advance(connection)
    }

    /// Writes a piece of a streamed body, and waits for room if there is too much already.
    func write(_ bytes: [UInt8], to id: ConnectionID) async throws(HTTPServerError) {
        guard let connection = connection(id), connection.activity == .streaming else {
            throw .disconnected()
        }
        ResponseEncoder.encodePiece(bytes, for: connection.context, to: &connection.output)
        putOffKeepAlive(connection)
        markDirty(connection)
        guard connection.unsentBytes > server.limits.streamBufferBytes else { return }
        let hasRoom = await withCheckedContinuation { connection.writers.append($0) }
        guard hasRoom else { throw .disconnected() }
    }

    private func putOffKeepAlive(_ connection: Connection) {
        guard !connection.keepAlive.isEmpty else { return }
        connection.keepAliveTime = moment(after: server.limits.streamKeepAlive)
        schedule(connection)
    }

    func sendKeepAlive(_ connection: Connection) {
        // A client that still has bytes to take needs no more to know that we are here.
        if connection.unsentBytes == 0 {
            ResponseEncoder.encodePiece(
                connection.keepAlive, for: connection.context, to: &connection.output)
            markDirty(connection)
        }
        putOffKeepAlive(connection)
    }

    /// Answers with an error, after which nothing that the client sends is read.
    func refuse(_ connection: Connection, _ refusal: HTTPRefusal) {
        let response = refusal.response
        let context = ResponseEncoder.Context(keepAlive: false)
        if case .whole(let body) = response.body {
            encoder.encode(response, body: body, for: context, to: &connection.output)
        }
        connection.activity = .closing
        connection.input = InputBuffer()
        markDirty(connection)
        watch(connection)
    }

    // MARK: Output

    func markDirty(_ connection: Connection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    /// Sends as much as the kernel takes.
    func flush(_ connection: Connection) {
        guard self.connection(connection.id) != nil else { return }
        connection.outputBlocked = false
        sending: while connection.unsentBytes > 0 {
            switch connection.socket.write(connection.output.span.extracting(connection.sent...)) {
            case .bytes(let count):
                connection.sent += count
                connection.sentBytes += count
            case .wouldBlock:
                connection.outputBlocked = true
                break sending
            case .failed: return close(connection)
            }
        }
        if connection.unsentBytes == 0 {
            connection.output.removeAll(keepingCapacity: connection.output.capacity <= 16 * 1024)
            connection.sent = 0
        } else if connection.sent > connection.output.count / 2 {
            connection.output.removeSubrange(..<connection.sent)
            connection.sent = 0
        }
        setOutputDeadline(connection)
        if connection.unsentBytes <= server.limits.streamBufferBytes / 2 {
            let writers = connection.writers
            connection.writers = []
            for writer in writers { writer.resume(returning: true) }
            if connection.waitsForOutput { return advance(connection) }
        }
        if connection.unsentBytes == 0, connection.activity == .closing {
            return linger(connection)
        }
        watch(connection)
    }

    /// Gives the bytes that are unsent now a moment by which they must be sent.
    private func setOutputDeadline(_ connection: Connection) {
        if connection.unsentBytes == 0 {
            connection.outputDeadline = Connection.never
        } else if connection.outputDeadline == Connection.never
            || connection.sentBytes >= connection.outputMark
        {
            connection.outputMark = connection.sentBytes + connection.unsentBytes
            connection.outputDeadline = moment(after: server.limits.writeStallDeadline)
            schedule(connection)
        }
    }

    /// Ends the output and lets the client read it: a close at once would reset what it still sends
    /// and with that throw away the response.
    private func linger(_ connection: Connection) {
        if connection.inputEnded { return close(connection) }
        connection.socket.endOutput()
        connection.activity = .lingering
        connection.inputDeadline = moment(after: server.limits.lingerDeadline)
        schedule(connection)
        watch(connection)
    }

    /// Tells epoll what the connection waits for, if that has changed.
    func watch(_ connection: Connection) {
        let wanted = connection.wantedInterest(server.limits)
        guard wanted != connection.interest, self.connection(connection.id) != nil else { return }
        connection.interest = wanted
        do {
            try epoll.change(connection.socket.number, to: wanted, token: connection.id.token)
        } catch {
            close(connection)
        }
    }

    /// Ends a connection: its handler is cancelled, its writers learn that the client has gone.
    func close(_ connection: Connection) {
        guard self.connection(connection.id) != nil else { return }
        connections[Int(connection.id.descriptor)] = nil
        connectionCount -= 1
        server.connections.subtract(1, ordering: .relaxed)
        epoll.remove(connection.socket.number)
        connection.task?.cancel()
        let writers = connection.writers
        connection.writers = []
        for writer in writers { writer.resume(returning: false) }
    }
}
