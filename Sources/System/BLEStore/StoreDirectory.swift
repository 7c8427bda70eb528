import BLEAdapter
import Glibc

/// The reason why the store's directory or a file in it cannot be used. The description is a sentence for the log.
struct StoreError: Error, CustomStringConvertible {
    let description: String

    init(_ sentence: String) { description = sentence }

    /// A system call on `path` failed. `errno` has the reason.
    init(_ path: String, _ action: String) {
        description = "\(path) cannot be \(action): \(String(cString: strerror(errno)))."
    }
}

/// The directory of the store. Only its owner may read it. A file is replaced as a whole (rename(2)), so that after a
/// crash or a power cut it is either the old or the new one. A lock orders the writes of processes; reading needs no
/// lock.
package struct StoreDirectory: Sendable {
    /// The maximum length of a file in octets. A longer file counts as damaged.
    static let lengthLimit = 16 << 20
    package let path: String
    /// The maximum number of attempts, 10 ms apart, to take a lock that another process holds.
    var lockAttempts: Int

    /// The system calls that change the directory. A crash can follow each of them.
    package enum Step: String, Sendable {
        case makeDirectory, syncParent, setMode, openLock, removeDraft, createDraft, write, sync, rename, syncDirectory
    }

    /// Called after each system call that changes the directory. Tests end the process in it.
    package var didCall: (@Sendable (Step) -> Void)?
    /// Called before each of these system calls. A result is the error number with which the call fails, without any effect. For tests.
    package var failure: (@Sendable (Step) -> Int32?)?
    /// The maximum number of octets of one write(2). Tests set it to end the process between two parts of a file.
    package var writeLength = Int.max

    /// The user whose directory and files are used. Tests name another one for a file.
    var user: @Sendable (_ path: String) -> uid_t = { _ in geteuid() }

    package init(path: String, lockAttempts: Int = 300) {
        self.path = path
        self.lockAttempts = lockAttempts
    }

    /// `$XDG_STATE_HOME/opencorebluetooth`, or `~/.local/state/opencorebluetooth`. Nil if there is no home.
    package static var standard: StoreDirectory? {
        path { getenv($0).map { String(cString: $0) } }.map { StoreDirectory(path: $0) }
    }

    /// The path of that directory.
    ///
    /// - Parameter variable: The value of a variable of the environment; nil if it is not set.
    package static func path(_ variable: (_ name: String) -> String?) -> String? {
        // A relative path is ignored (XDG Base Directory Specification).
        func folder(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let state = folder("XDG_STATE_HOME") ?? folder("HOME").map { "\($0)/.local/state" }
        return state.map { "\($0)/opencorebluetooth" }
    }

    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Carries out a call. Returns false if it failed; `errno` has the reason.
    private func run(_ step: Step, _ call: () -> Bool) -> Bool {
        if let number = failure?(step) {
            errno = number
            return false
        }
        guard call() else { return false }
        didCall?(step)
        return true
    }

    // MARK: Reading

    /// The octets of a file; nil if there is none. Of a file that is longer than the limit, the first half of it, whose checksum is wrong.
    func read(_ name: String) throws(StoreError) -> [UInt8]? {
        let directory: Handle
        do throws(StoreError) {
            directory = try open()
        } catch {
            if access(path, F_OK) != 0 && errno == ENOENT { return nil }
            throw error
        }
        let file = openat(directory.number, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError(path(of: name), "opened")
        }
        let handle = Handle(file)
        try makePrivate(handle, path(of: name), isDirectory: false)
        var octets: [UInt8] = []
        while octets.count <= Self.lengthLimit {
            var count = 0
            octets.append(addingCapacity: 65_536) { output in
                output.withUnsafeMutableBufferPointer { buffer, initialized in
                    guard let start = buffer.baseAddress else { return }
                    count = Glibc.read(handle.number, start + initialized, buffer.count - initialized)
                    initialized += max(0, count)
                }
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StoreError(path(of: name), "read") }
            if count == 0 { break }
        }
        return octets.count <= Self.lengthLimit ? octets : Array(octets.prefix(Self.lengthLimit / 2))
    }

    // MARK: Writing

    /// Creates the directory if necessary, and prevents other processes from writing while `body` runs.
    func whileLocked<Result>(_ body: (Locked) throws(StoreError) -> Result) throws(StoreError) -> Result {
        try create()
        let directory = try open()
        var lock: Int32 = -1
        let isOpen = run(.openLock) {
            lock = openat(
                directory.number, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode_t(0o600))
            return lock >= 0
        }
        guard isOpen else { throw StoreError(path(of: "lock"), "opened") }
        let handle = Handle(lock)
        try allowOwner(handle, path(of: "lock"))
        var attempt = 0
        while flock(handle.number, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR else { throw StoreError(path(of: "lock"), "locked") }
            attempt += 1
            guard attempt < lockAttempts else {
                throw StoreError("\(path(of: "lock")) is held by another process for too long.")
            }
            usleep(10_000)
        }
        // Closing the file unlocks it.
        defer { withExtendedLifetime(handle) {} }
        return try body(Locked(directory: self, handle: directory))
    }

    /// The directory while this process has the lock.
    struct Locked {
        fileprivate let directory: StoreDirectory
        fileprivate let handle: Handle

        func path(of name: String) -> String { directory.path(of: name) }

        func read(_ name: String) throws(StoreError) -> [UInt8]? { try directory.read(name) }

        func isAbsent(_ name: String) -> Bool {
            faccessat(handle.number, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT
        }

        /// Replaces a file: writes and syncs a new file, and renames it.
        func replace(_ name: String, with octets: [UInt8]) throws(StoreError) {
            guard octets.count <= StoreDirectory.lengthLimit else {
                throw StoreError("\(directory.path(of: name)) would become too long.")
            }
            let draft = name + ".new"
            // Removes the file of a writer that crashed, if there is one.
            _ = directory.run(.removeDraft) { unlinkat(handle.number, draft, 0) == 0 || errno == ENOENT }
            var number: Int32 = -1
            let isCreated = directory.run(.createDraft) {
                number = openat(
                    handle.number, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(0o600))
                return number >= 0
            }
            guard isCreated else { throw StoreError(directory.path(of: draft), "created") }
            let file = Handle(number)
            do throws(StoreError) {
                try write(octets, file, draft)
                // The umask may have removed the owner's permissions.
                guard directory.run(.setMode, { fchmod(file.number, 0o600) == 0 }),
                    directory.run(.sync, { fsync(file.number) == 0 })
                else { throw StoreError(directory.path(of: draft), "synced") }
                guard directory.run(.rename, { renameat(handle.number, draft, handle.number, name) == 0 }) else {
                    throw StoreError(directory.path(of: name), "replaced")
                }
            } catch {
                unlinkat(handle.number, draft, 0)
                throw error
            }
            try syncDirectory()
        }

        private func write(_ octets: [UInt8], _ file: Handle, _ name: String) throws(StoreError) {
            var position = 0
            while position < octets.count {
                let part = octets[position...].prefix(directory.writeLength)
                var count = -1
                let isWritten = directory.run(.write) {
                    count = part.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
                    return count > 0
                }
                if !isWritten, count < 0, errno == EINTR { continue }
                guard isWritten else { throw StoreError(directory.path(of: name), "written") }
                position += count
            }
        }

        /// Makes a rename durable.
        private func syncDirectory() throws(StoreError) {
            guard directory.run(.syncDirectory, { fsync(handle.number) == 0 }) else {
                throw StoreError(directory.path, "synced")
            }
        }

        /// Renames a file to `NAME.corrupt-SECONDS`. Returns the new path.
        func setAside(_ name: String) throws(StoreError) -> String {
            let stem = "\(name).corrupt-\(time(nil))"
            var other = stem
            var number = 1
            while faccessat(handle.number, other, F_OK, AT_SYMLINK_NOFOLLOW) == 0 {
                number += 1
                other = "\(stem)-\(number)"
            }
            guard directory.run(.rename, { renameat(handle.number, name, handle.number, other) == 0 }) else {
                throw StoreError(directory.path(of: name), "renamed")
            }
            try syncDirectory()
            return directory.path(of: other)
        }
    }

    // MARK: The directory itself

    /// An open file descriptor, which closes when it is released.
    fileprivate final class Handle {
        let number: Int32

        init(_ number: Int32) { self.number = number }

        deinit { close(number) }
    }

    private func open() throws(StoreError) -> Handle {
        let number = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw StoreError(path, "opened") }
        let handle = Handle(number)
        try makePrivate(handle, path, isDirectory: true)
        return handle
    }

    /// Creates the directory and its parents.
    private func create() throws(StoreError) {
        var end = path.startIndex
        while end != path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            if run(.makeDirectory, { mkdir(part, 0o700) == 0 }) {
                do throws(StoreError) {
                    // The umask may have removed the owner's permissions.
                    guard run(.setMode, { chmod(part, 0o700) == 0 }) else { throw StoreError(part, "made usable") }
                    try syncParent(of: part)
                } catch {
                    // Else the next attempt would find it and leave it so.
                    rmdir(part)
                    throw error
                }
                continue
            }
            let reason = errno
            var status = stat()
            if stat(part, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
            errno = reason
            throw StoreError(part, "made")
        }
    }

    /// Makes a new directory survive a power cut.
    private func syncParent(of part: String) throws(StoreError) {
        let slash = part.lastIndex(of: "/")
        let parent = slash == part.startIndex ? "/" : slash.map { String(part[..<$0]) } ?? "."
        let number = Glibc.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A directory in which the user may make entries but not list them cannot be opened.
        if number < 0, errno == EACCES { return }
        guard number >= 0 else { throw StoreError(parent, "opened") }
        let handle = Handle(number)
        guard run(.syncParent, { fsync(handle.number) == 0 }) else { throw StoreError(parent, "synced") }
    }

    /// Gives the owner the permissions that the umask removed from a new file, and others none.
    private func allowOwner(_ handle: Handle, _ path: String) throws(StoreError) {
        var status = stat()
        guard fstat(handle.number, &status) == 0 else { throw StoreError(path, "examined") }
        guard status.st_mode & 0o777 != 0o600, status.st_uid == user(path) else { return }
        guard fchmod(handle.number, 0o600) == 0 else { throw StoreError(path, "made usable") }
    }

    /// Refuses a file of another user, and removes the permissions of group and others.
    private func makePrivate(_ handle: Handle, _ path: String, isDirectory: Bool) throws(StoreError) {
        var status = stat()
        guard fstat(handle.number, &status) == 0 else { throw StoreError(path, "examined") }
        guard status.st_mode & S_IFMT == (isDirectory ? S_IFDIR : S_IFREG) else {
            throw StoreError("\(path) is no \(isDirectory ? "directory" : "plain file").")
        }
        let user = user(path)
        guard status.st_uid == user else {
            throw StoreError("\(path) belongs to user \(status.st_uid), not to user \(user), and is not used.")
        }
        guard status.st_mode & 0o077 != 0 else { return }
        guard fchmod(handle.number, isDirectory ? 0o700 : 0o600) == 0 else {
            throw StoreError(path, "made private")
        }
    }
}
