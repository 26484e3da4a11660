internal import CLinux

/// The standard output of this process.
package enum StandardOutput {
    /// Takes standard output away from everyone else, and gives a descriptor of it.
    ///
    /// What is written to descriptor 1 afterwards goes to standard error. The descriptor that is
    /// given stays open as long as the process lives, and no program we start inherits it.
    package static func claim() throws(LinuxError) -> Int32 {
        let own = durable_duplicate_above(1, 10)
        guard own >= 0 else { throw .call("duplicate standard output") }
        guard dup2(2, 1) >= 0 else { throw .call("send standard output to standard error") }
        return own
    }
}
