internal import COpenSSL

/// Comparisons whose time tells nothing about what was compared.
package enum ConstantTime {
    /// Whether two byte strings are equal; only a difference in length shows in the time taken.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return left.isEmpty || CRYPTO_memcmp(left, right, left.count) == 0
    }
}
