import Testing

@testable import LinuxPlatform

@Suite("Descriptor streams", .timeLimit(.minutes(1)))
struct DescriptorStreamTests {
    @Test("what is written to a pipe is read from it, in order and whole")
    func pipe() async throws {
        let pair = try FileDescriptor.pipe()
        let writer = try DescriptorWriter(pair.second.number, threadName: "test-writer")
        let reader = try DescriptorReader(pair.first.number, threadName: "test-reader")
        let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        async let written = writer.write(sent)
        var received: [UInt8] = []
        for await chunk in reader {
            received += chunk
            if received.count >= sent.count { break }
        }
        #expect(await written)
        #expect(received == sent)
        // The thread that reads waits for credit or bytes; these are what it needs to see the end.
        writer.offer([0])
        writer.close()
        _ = pair
    }

    @Test("the end of a file ends the stream")
    func end() async throws {
        let file = try FileDescriptor.memoryFile([1, 2, 3])
        let reader = try DescriptorReader(file.number, threadName: "test-reader")
        var chunks: [[UInt8]] = []
        for await chunk in reader { chunks.append(chunk) }
        #expect(chunks == [[1, 2, 3]])
        _ = file
    }

    @Test("a write that cannot be done says so, and so do those after it")
    func failure() async throws {
        let pair = try FileDescriptor.pipe()
        let writer = try DescriptorWriter(pair.first.number, threadName: "test-writer")
        #expect(await !writer.write([1]))
        #expect(await !writer.write([2]))
        _ = pair
    }
}
