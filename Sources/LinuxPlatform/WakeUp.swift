internal import CLinux

/// Wakes a thread that waits for readiness, from any other (an `eventfd`).
package final class WakeUp: Sendable {
    private let descriptor: FileDescriptor

    /// - Throws: `.exhausted` if no descriptor is left.
    package init() throws(LinuxError) {
        let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard number >= 0 else { throw .call("create an eventfd") }
        descriptor = FileDescriptor(owning: number)
    }

    /// The number to watch: readable once ``signal()`` was called.
    package var number: Int32 { descriptor.number }

    /// Makes it readable.
    package func signal() {
        // Fails only when the counter is full, and then it is readable already.
        eventfd_write(descriptor.number, 1)
    }

    /// Makes it unreadable again.
    package func reset() {
        var count: eventfd_t = 0
        // Fails only when it is not readable, which is what was wanted.
        eventfd_read(descriptor.number, &count)
    }
}
