internal import CLinux

/// The user whose process this is.
package enum CurrentUser {
    /// The login name of the effective user, or its number where the system knows no name.
    package static var login: String {
        let number = geteuid()
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        let code = getpwuid_r(number, &entry, &buffer, buffer.count, &found)
        guard code == 0, found != nil, let name = entry.pw_name else { return String(number) }
        return String(cString: name)
    }
}
