internal import CLinux

/// One open file descriptor, closed when its owner goes away.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number that the kernel knows it by; valid as long as its owner lives.
    package let number: Int32

    /// Takes over a descriptor that nobody else closes.
    package init(owning number: Int32) {
        precondition(number >= 0, "A failed call gives no descriptor to own.")
        self.number = number
    }

    /// Gives the descriptor up without closing it.
    package consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        // Nothing useful can follow a failed close, and the number is free again either way.
        _ = close(number)
    }
}
