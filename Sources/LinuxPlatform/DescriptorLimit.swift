internal import CLinux

/// How many descriptors this process may have open.
package enum DescriptorLimit {
    /// Lets the process have at most `count` descriptors; those it has beyond that stay open.
    ///
    /// - Throws: `.notPermitted` above what the administrator allows.
    package static func set(_ count: Int) throws(LinuxError) {
        guard durable_limit_descriptors(rlim_t(count)) == 0 else {
            throw .call("allow \(count) descriptors")
        }
    }
}
