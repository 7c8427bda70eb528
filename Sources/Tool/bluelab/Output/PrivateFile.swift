import Glibc

/// A file that only its owner reads.
enum PrivateFile {
    /// Makes a file with mode 0600. Returns false if something is at the path, or if it cannot be written, and then no part of it stays: `errno`
    /// has the reason.
    static func write(_ text: String, to path: String) -> Bool {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let octets = Array(text.utf8)
        if fchmod(descriptor, 0o600) == 0, Glibc.write(descriptor, octets, octets.count) == octets.count { return true }
        let number = errno
        unlink(path)
        errno = number
        return false
    }
}
