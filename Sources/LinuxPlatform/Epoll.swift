internal import CLinux

/// What a descriptor is watched for, or was found ready for.
package struct Readiness: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Bytes, a connection or the end of input can be read.
    package static let readable = Self(rawValue: EPOLLIN.rawValue)
    /// Bytes can be written.
    package static let writable = Self(rawValue: EPOLLOUT.rawValue)
    /// The peer sends no more, whether or not what it sent has been read.
    package static let inputEnded = Self(rawValue: EPOLLRDHUP.rawValue)
    /// Both directions are closed; reported whether watched for or not.
    package static let hungUp = Self(rawValue: EPOLLHUP.rawValue)
    /// The descriptor is broken; reported whether watched for or not.
    package static let failed = Self(rawValue: EPOLLERR.rawValue)
}

/// One epoll instance: tells which of many descriptors are ready (level-triggered).
///
/// It knows descriptors by tokens of the caller's, and forgets one that is closed.
package struct Epoll: ~Copyable {
    /// One descriptor that is ready.
    package struct Event: Sendable {
        /// The token it was added with.
        package let token: UInt64
        /// What it is ready for.
        package let readiness: Readiness
    }

    private let descriptor: FileDescriptor
    private var ready: [durable_epoll_event]

    /// - Throws: `.exhausted` if no descriptor is left.
    package init() throws(LinuxError) {
        let number = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard number >= 0 else { throw .call("create an epoll instance") }
        ready = Array(repeating: durable_epoll_event(), count: 256)
        descriptor = FileDescriptor(owning: number)
    }

    /// Watches a descriptor that is not watched yet.
    package func add(_ number: Int32, for interest: Readiness, token: UInt64) throws(LinuxError) {
        let code = durable_epoll_control(
            descriptor.number, EPOLL_CTL_ADD, number, interest.rawValue, token)
        guard code == 0 else { throw .call("watch descriptor \(number)") }
    }

    /// Watches a watched descriptor for something else from now on.
    package func change(
        _ number: Int32, to interest: Readiness, token: UInt64
    ) throws(LinuxError) {
        let code = durable_epoll_control(
            descriptor.number, EPOLL_CTL_MOD, number, interest.rawValue, token)
        guard code == 0 else { throw .call("watch descriptor \(number)") }
    }

    /// Watches a descriptor no more.
    package func remove(_ number: Int32) {
        // Fails only for a descriptor that is not watched, which is what was wanted.
        _ = durable_epoll_control(descriptor.number, EPOLL_CTL_DEL, number, 0, 0)
    }

    /// Blocks until something is ready or the time is over.
    ///
    /// - Parameters:
    ///   - milliseconds: -1 waits without end, 0 not at all.
    ///   - events: Replaced by 0 to 256 events.
    package mutating func wait(milliseconds: Int32, into events: inout [Event]) {
        events.removeAll(keepingCapacity: true)
        let count = durable_epoll_wait(
            descriptor.number, &ready, Int32(ready.count), milliseconds)
        // Interrupted by a signal: the caller looks at its deadlines and waits again.
        guard count > 0 else { return }
        for event in ready[..<Int(count)] {
            events.append(
                Event(token: event.token, readiness: Readiness(rawValue: event.readiness)))
        }
    }
}
