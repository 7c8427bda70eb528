import CLinuxBluetooth

/// An open file descriptor. It closes when its last owner releases it; a dispatch source owns it until the source is
/// cancelled.
package final class Descriptor: Sendable {
    package enum Kind: Sendable {
        case socket
        /// A socket that keeps the boundaries of packets: each read and each write is one H4 packet.
        case packets
        /// A device that keeps the boundaries of packets, as a socket of `packets` does.
        case packetDevice
        /// A serial port in exclusive mode.
        case terminal
        case file
    }

    package let number: Int32
    let kind: Kind

    /// A descriptor to watch for reading instead of this one, created on each call; nil if this one can be watched
    /// itself.
    var readiness: Descriptor? {
        guard kind == .packets else { return nil }
        let set = clb_open_readiness(number)
        return set >= 0 ? Descriptor(set, kind: .file) : nil
    }

    /// Takes ownership of `number`.
    package init(_ number: Int32, kind: Kind = .socket) {
        self.number = number
        self.kind = kind
    }

    deinit {
        if kind == .terminal { setExclusive(false) }
        _ = close(number)
    }

    /// Sets or ends the exclusive mode of a terminal: while it is set, `open` fails with EBUSY for every process
    /// without CAP_SYS_ADMIN (tty_ioctl(4), TIOCEXCL).
    func setExclusive(_ isExclusive: Bool) {
        #if canImport(Glibc)
        var unused: Int32 = 0
        _ = ioctl(number, UInt(isExclusive ? TIOCEXCL : TIOCNXCL), &unused)
        #endif
    }
}
