import Glibc

/// The sockets of a virtual radio that the programs of one user share. They are in a directory that only this user can
/// write.
package struct SharedRadioEndpoint: Hashable, Sendable {
    /// The reason why there is no such endpoint, or why it is not safe to use. The description is a sentence.
    package struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
        /// Whether another radio serves the endpoint.
        package let isTaken: Bool

        package init(description: String, isTaken: Bool = false) {
            self.description = description
            self.isTaken = isTaken
        }
    }

    /// The name of the radio; nil for the user's radio without a name.
    package let name: String?
    /// `$XDG_RUNTIME_DIR/opencorebluetooth`, or `/tmp/opencorebluetooth-USER` with the number of the user.
    package let directory: String
    private let isInRuntimeDirectory: Bool

    /// - Parameters:
    ///   - name: 1 to 32 letters, digits, `-` and `_`; nil for the radio without a name.
    ///   - runtimeDirectory: the value of `XDG_RUNTIME_DIR`.
    package init(name: String? = nil, runtimeDirectory: String? = Self.runtimeDirectory) throws(EndpointError) {
        if let name { guard Self.isName(name) else { throw EndpointError(unfit: name) } }
        self.name = name
        // The XDG Base Directory Specification ignores relative paths.
        if let runtimeDirectory, runtimeDirectory.hasPrefix("/") {
            directory = runtimeDirectory + "/opencorebluetooth"
            isInRuntimeDirectory = true
        } else {
            directory = "/tmp/opencorebluetooth-\(geteuid())"
            isInRuntimeDirectory = false
        }
    }

    package static var runtimeDirectory: String? { getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } }

    /// The socket on which each connection is a controller.
    package var address: TransportAddress { .unix(path: path) }
    /// The socket that takes commands.
    package var controlAddress: TransportAddress { .unix(path: path + ".control") }

    private var path: String { directory + "/radio" + (name.map { "-" + $0 } ?? "") }

    /// The command that starts this radio.
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

    /// A sentence that says why a connection to this endpoint failed, and what to do.
    ///
    /// - Parameter afterStart: The effect of starting the radio.
    package func sentence(for error: TransportError, afterStart: String = "") -> String {
        switch error.kind {
        case .refused, .notFound:
            "No virtual radio runs at \(address): start it with \(command)\(afterStart)."
        default: error.description
        }
    }

    /// Creates the directory if it does not exist, and checks it.
    package func prepare() throws(EndpointError) {
        let isNew = mkdir(directory, 0o700) == 0
        guard isNew || errno == EEXIST else {
            let reason = String(cString: strerror(errno))
            throw EndpointError(
                description: isInRuntimeDirectory
                    ? "\(directory) cannot be made (\(reason)): XDG_RUNTIME_DIR names no directory of this user's, so unset it or "
                        + "correct it, for the programs that join, too."
                    : "\(directory) cannot be made: \(reason).")
        }
        // The umask may have removed the owner's permissions.
        if isNew { chmod(directory, 0o700) }
        try check()
    }

    /// Throws if another user than this one could have put a socket into the directory.
    package func check(user: uid_t = geteuid()) throws(EndpointError) {
        var status = stat()
        guard lstat(directory, &status) == 0 else {
            // Without a directory there is no socket, of this user or of another.
            if errno == ENOENT { return }
            throw EndpointError(description: "\(directory) cannot be examined: \(String(cString: strerror(errno))).")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw EndpointError(
                description: "\(directory) is no directory, so no virtual radio is looked for there: remove it.")
        }
        guard status.st_uid == user else {
            throw EndpointError(
                description:
                    "\(directory) belongs to user \(status.st_uid), not to user \(user), so no virtual radio is looked for there: remove it, or set XDG_RUNTIME_DIR."
            )
        }
        guard status.st_mode & 0o022 == 0 else {
            throw EndpointError(
                description:
                    "Others may write to \(directory), so no virtual radio is looked for there: run chmod 700 \(directory)."
            )
        }
    }
}

extension SharedRadioEndpoint.EndpointError {
    fileprivate init(unfit name: String) {
        self.init(
            description: "\"\(name)\" is no name for a radio: it has 1 to 32 letters, digits, hyphens and underscores.")
    }
}
