internal import COpenSSL

/// Random bytes that nobody can guess.
package enum SecureRandom {
    /// Returns `count` random bytes from OpenSSL's generator, which the kernel seeds.
    ///
    /// Traps if the system has no randomness: nothing made without it could be trusted.
    package static func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0 && count <= Int(Int32.max))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            let filled = RAND_bytes(buffer.baseAddress, Int32(count))
            precondition(filled == 1, "No secure randomness: \(OpenSSL.lastError()).")
            initialized = count
        }
    }
}
