import BLEAdapter
import BLETransport
import Glibc

/// Where the programs of one user meet on a shared virtual radio: sockets in a directory that is this user's alone.
package struct RadioPlace: Hashable, Sendable {
    /// Why there is no such place, or why it must not be used; one sentence.
    package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
        /// Another radio is there.
        package let isTaken: Bool

        package init(description: String, isTaken: Bool = false) {
            self.description = description
            self.isTaken = isTaken
        }
    }

    /// Which of the user's radios; nil: the one that needs no name.
    package let name: String?
    /// `$XDG_RUNTIME_DIR/opencorebluetooth`, or `/tmp/opencorebluetooth-USER` with the number of the user.
    package let directory: String
    private let isInRuntimeDirectory: Bool

    /// - Parameters:
    ///   - name: 1 to 32 letters, digits, `-` and `_`; nil for the radio that needs no name.
    ///   - runtimeDirectory: the value of `XDG_RUNTIME_DIR`.
    package init(name: String? = nil, runtimeDirectory: String? = Self.runtimeDirectory) throws(Failure) {
        if let name { guard Self.isName(name) else { throw Failure(unfit: name) } }
        self.name = name
        // A relative path is to be ignored, says the XDG specification.
        if let runtimeDirectory, runtimeDirectory.hasPrefix("/") {
            directory = runtimeDirectory + "/opencorebluetooth"
            isInRuntimeDirectory = true
        } else {
            directory = "/tmp/opencorebluetooth-\(geteuid())"
            isInRuntimeDirectory = false
        }
    }

    package static var runtimeDirectory: String? { getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } }

    /// Where each connection is a controller.
    package var address: TransportAddress { .unix(path: path) }
    /// Where the radio is told what to change.
    package var controlAddress: TransportAddress { .unix(path: path + ".control") }

    private var path: String { directory + "/radio" + (name.map { "-" + $0 } ?? "") }

    /// What a user writes to start this radio.
    package var command: String { "bluelab radio" + (name.map { " --name " + $0 } ?? "") }

    private static func isName(_ name: String) -> Bool {
        (1...32).contains(name.utf8.count)
            && name.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Why nobody can be reached here, and what to do about it.
    ///
    /// - Parameter afterStart: what follows once the radio was started.
    func sentence(for error: TransportError, afterStart: String = "") -> String {
        switch error.kind {
        case .refused, .notFound:
            "No virtual radio runs at \(address): start it with \(command)\(afterStart)."
        default: error.description
        }
    }

    /// Makes the directory if it is not there, and checks it.
    package func prepare() throws(Failure) {
        let isNew = mkdir(directory, 0o700) == 0
        guard isNew || errno == EEXIST else {
            let reason = String(cString: strerror(errno))
            throw Failure(
                description: isInRuntimeDirectory
                    ? "\(directory) cannot be made (\(reason)): XDG_RUNTIME_DIR names no directory of this user's, so unset it or "
                        + "correct it, for the programs that join, too."
                    : "\(directory) cannot be made: \(reason).")
        }
        // The umask may have taken the owner's rights away.
        if isNew { chmod(directory, 0o700) }
        try check()
    }

    /// Refuses a directory where somebody else could have put a socket.
    package func check() throws(Failure) {
        var status = stat()
        guard lstat(directory, &status) == 0 else {
            // Not there: nobody serves, and nobody can be mistaken for it.
            if errno == ENOENT { return }
            throw Failure(description: "\(directory) cannot be examined: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw Failure(
                description: "\(directory) is no directory, so no virtual radio is looked for there: remove it.")
        }
        guard status.st_uid == geteuid() else {
            throw Failure(
                description:
                    "\(directory) belongs to user \(status.st_uid), not to user \(geteuid()), so no virtual radio is looked for there: remove it, or set XDG_RUNTIME_DIR."
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            throw Failure(
                description:
                    "Others may write to \(directory), so no virtual radio is looked for there: run chmod 700 \(directory)."
            )
        }
    }
}

extension RadioPlace.Failure {
    fileprivate init(unfit name: String) {
        self.init(
            description: "\"\(name)\" is no name for a radio: it has 1 to 32 letters, digits, hyphens and underscores.")
    }
}
