internal import CLinux

/// What arrives on a descriptor, chunk by chunk, read by a thread of its own.
///
/// At most ``chunksAhead`` chunks wait to be taken; the thread reads no further until then. It
/// ends at the end of the stream, at an error (which reads as the end), or with the first read
/// after the iterator has gone.
package struct DescriptorReader: AsyncSequence, Sendable {
    /// How many chunks are read before they are asked for.
    package static let chunksAhead = 4

    /// The most bytes of one chunk.
    package static let chunkBytes = 64 << 10

    private let chunks: AsyncStream<[UInt8]>
    private let credits: Inbox<Void>

    /// Starts reading a descriptor, which must stay open as long as the process lives.
    ///
    /// Of the thread's name, 15 bytes are shown.
    /// Throws `.exhausted` if the system gives no more threads.
    package init(_ descriptor: Int32, threadName: String) throws(LinuxError) {
        let credits = Inbox<Void>()
        for _ in 0..<Self.chunksAhead { credits.send(()) }
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        self.chunks = chunks
        self.credits = credits
        try SystemThread.start(named: threadName) {
            while credits.takeOne() != nil, let chunk = Self.read(descriptor) {
                continuation.yield(chunk)
            }
            continuation.finish()
        }
    }

    /// The next bytes, at least one; nil at the end of the stream.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        while true {
            var count = 0
            let chunk = [UInt8](unsafeUninitializedCapacity: chunkBytes) { buffer, used in
                count = CLinux.read(descriptor, buffer.baseAddress, buffer.count)
                used = Swift.max(count, 0)
            }
            if count > 0 { return chunk }
            if count == 0 { return nil }
            guard DescriptorWriter.mayRetry(descriptor, events: Int16(POLLIN)) else { return nil }
        }
    }

    /// Takes the chunks, in order; there is one iterator.
    package struct AsyncIterator: AsyncIteratorProtocol {
        private var chunks: AsyncStream<[UInt8]>.Iterator
        private let credits: Inbox<Void>

        fileprivate init(_ reader: DescriptorReader) {
            chunks = reader.chunks.makeAsyncIterator()
            credits = reader.credits
        }

        /// The next chunk; nil at the end, and when the task is cancelled.
        package mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(Never) -> [UInt8]? {
            guard let chunk = await chunks.next(isolation: actor) else {
                credits.close()
                return nil
            }
            credits.send(())
            return chunk
        }
    }

    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
