internal import CLinux

/// What a descriptor is watched for, or was found ready for.
///
/// Not an `OptionSet`: its operations are generic, and cost more across modules than a small
/// request can bear.
package struct Readiness: Hashable, Sendable {
    /// The bits as epoll knows them.
    private(set) var bits: UInt32

    /// Nothing but what is reported in any case.
    package static let none = Self(bits: 0)
    /// Bytes, a connection or the end of input can be read.
    package static let readable = Self(bits: EPOLLIN.rawValue)
    /// Bytes can be written.
    package static let writable = Self(bits: EPOLLOUT.rawValue)
    /// The peer sends no more, whether or not what it sent has been read.
    package static let inputEnded = Self(bits: EPOLLRDHUP.rawValue)
    /// Both directions are closed; reported whether watched for or not.
    package static let hungUp = Self(bits: EPOLLHUP.rawValue)
    /// The descriptor is broken; reported whether watched for or not.
    package static let failed = Self(bits: EPOLLERR.rawValue)

    /// Either of the two.
    package static func | (left: Self, right: Self) -> Self { Self(bits: left.bits | right.bits) }

    /// Whether it has anything in common with another.
    package func has(_ other: Self) -> Bool { bits & other.bits != 0 }
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
            descriptor.number, EPOLL_CTL_ADD, number, interest.bits, token)
        guard code == 0 else { throw .call("watch descriptor \(number)") }
    }

    /// Watches a watched descriptor for something else from now on.
    package func change(
        _ number: Int32, to interest: Readiness, token: UInt64
    ) throws(LinuxError) {
        let code = durable_epoll_control(
            descriptor.number, EPOLL_CTL_MOD, number, interest.bits, token)
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
                Event(token: event.token, readiness: Readiness(bits: event.readiness)))
        }
    }
}
