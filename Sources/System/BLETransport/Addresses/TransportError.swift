/// The reason why a transport cannot be opened, or why it ended. The description is one sentence: what happened, where,
/// and what to do next.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Kind: Hashable, Sendable {
        /// The text does not name a transport.
        case unknownTransport
        /// This build does not support the transport.
        case notBuiltIn
        /// No program listens there.
        case refused
        case unknownHost
        /// There is no such socket or device.
        case notFound
        case permissionDenied
        case timedOut
        /// Another program uses the address.
        case addressInUse
        /// The other side ended or broke the connection.
        case connectionLost
        /// The radio is switched off (rfkill).
        case blocked
        /// The system does not support it.
        case notSupported
        /// Any other error of the system.
        case system
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}

extension TransportError {
    static func connecting(to address: TransportAddress, _ code: Int32) -> TransportError {
        let reason = systemText(code)
        switch (code, address) {
        case (ECONNREFUSED, _):
            return .init(
                .refused,
                "No program listens at \(address) (\(reason)): start the controller there, or correct the address.")
        case (EAGAIN, .unix):
            return .init(
                .system, "Too many programs wait to connect to \(address): try again, or restart the one that listens."
            )
        case (ENOENT, _), (ENOTDIR, _):
            return .init(
                .notFound, "There is no socket at \(address): start the program that makes it, or correct the path.")
        case (EACCES, .unix), (EPERM, .unix):
            return .init(
                .permissionDenied,
                "This user may not connect to \(address) (\(reason)): run as the socket's owner, or ask for the right to it."
            )
        case (EACCES, _), (EPERM, _):
            return .init(
                .permissionDenied,
                "The system forbids to connect to \(address) (\(reason)): look at its firewall rules.")
        case (ETIMEDOUT, _), (EHOSTUNREACH, _), (ENETUNREACH, _):
            return .init(
                .timedOut,
                "\(address) cannot be reached (\(reason)): check that the machine is up and the network is right.")
        case (EMFILE, _), (ENFILE, _): return .outOfDescriptors(for: "\(address)", code)
        default:
            return .init(.system, "Connecting to \(address) failed (\(reason)): check the address.")
        }
    }

    static func listening(at address: TransportAddress, _ code: Int32) -> TransportError {
        let reason = systemText(code)
        switch code {
        case EADDRINUSE:
            return .init(
                .addressInUse, "Another program already listens at \(address): end it, or choose another address.")
        case EACCES, EPERM, EROFS:
            return .init(
                .permissionDenied,
                "This user may not listen at \(address) (\(reason)): choose a port above 1023, or a path that is yours."
            )
        case ENOENT, ENOTDIR:
            return .init(.notFound, "The folder of \(address) does not exist: make it, or correct the path.")
        case EADDRNOTAVAIL:
            return .init(
                .notFound, "This machine has no such address as \(address): give one of its own, or 127.0.0.1.")
        default:
            return .init(.system, "Listening at \(address) failed (\(reason)): choose another address.")
        }
    }

    static func outOfDescriptors(for what: String, _ code: Int32) -> TransportError {
        .init(
            .system,
            "No file descriptor is left for \(what) (\(systemText(code))): raise the limit with ulimit -n, or close what is not needed."
        )
    }

    static func outOfThreads(_ code: Int32) -> TransportError {
        .init(
            .system,
            "No thread can be started for Bluetooth (\(systemText(code))): end some programs, or raise their limit with ulimit -u."
        )
    }

    static func timedOut(_ address: TransportAddress, _ milliseconds: Int64) -> TransportError {
        let time = milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
        if case .adapter = address {
            return .init(
                .timedOut,
                "\(address) was not ready within \(time): unplug it and plug it in again, or look at the end of sudo dmesg."
            )
        }
        return .init(
            .timedOut,
            "\(address) did not answer within \(time): check that the machine is up and no firewall drops the connection."
        )
    }
}
