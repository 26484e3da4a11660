internal import CLinux

/// The few things done to files that need no descriptor kept.
package enum FileSystem {
    /// Makes a folder that only its user may enter (mode 0700), unless it is there.
    package static func makePrivateFolder(_ path: String) throws(LinuxError) {
        guard mkdir(path, 0o700) != 0 else { return }
        let number = durable_errno()
        guard number == EEXIST else { throw .call("make the folder '\(path)'", number: number) }
    }

    /// Makes an empty file that only its user may read (mode 0600), unless it is there.
    ///
    /// Never touch a database file that this process has open with this: closing any descriptor
    /// of a file drops the process's POSIX locks on it.
    package static func makePrivateFile(_ path: String) throws(LinuxError) {
        let descriptor = durable_open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        if descriptor >= 0 {
            close(descriptor)
            return
        }
        let number = durable_errno()
        guard number == EEXIST else { throw .call("make the file '\(path)'", number: number) }
    }

    /// The size of a file in bytes, or nil where there is none.
    package static func size(of path: String) throws(LinuxError) -> Int64? {
        var status = stat()
        guard stat(path, &status) != 0 else { return Int64(status.st_size) }
        let number = durable_errno()
        guard number == ENOENT else { throw .call("look at '\(path)'", number: number) }
        return nil
    }

    /// Which file a path leads to, or nil where it leads to none.
    package static func identity(of path: String) throws(LinuxError) -> FileIdentity? {
        var status = stat()
        guard stat(path, &status) != 0 else {
            return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
        }
        let number = durable_errno()
        guard number == ENOENT else { throw .call("look at '\(path)'", number: number) }
        return nil
    }

    /// The absolute path of a file, without symbolic links; the file itself may be missing.
    package static func canonicalPath(_ path: String) throws(LinuxError) -> String {
        if let whole = resolved(path) { return whole }
        guard durable_errno() == ENOENT else { throw .call("find '\(path)'") }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = parts.last, !name.isEmpty else {
            throw .invalid("'\(path)' names no file.")
        }
        let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/") + "/"
        guard let folder = resolved(folder) else { throw .call("find the folder of '\(path)'") }
        return folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// Gives a file another name in its folder, replacing what bears it.
    package static func rename(_ old: String, to new: String) throws(LinuxError) {
        guard CLinux.rename(old, new) == 0 else { throw .call("rename '\(old)' to '\(new)'") }
    }

    /// Removes a file; nothing where there is none.
    package static func remove(_ path: String) throws(LinuxError) {
        guard unlink(path) != 0 else { return }
        let number = durable_errno()
        guard number == ENOENT else { throw .call("remove '\(path)'", number: number) }
    }

    /// The names of what is in a folder, in no order.
    package static func names(in folder: String) throws(LinuxError) -> [String] {
        guard let stream = opendir(folder) else { throw .call("list the folder '\(folder)'") }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

/// Tells one file from another, whatever their names are.
package struct FileIdentity: Hashable, Sendable {
    let device: UInt64
    let number: UInt64
}
