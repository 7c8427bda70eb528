import BLEAdapter
import BLETransport

extension ChannelError {
    /// Why a channel was not opened, by the number of an error of the kernel (bt_to_errno in net/bluetooth/lib.c, and l2cap_core.c).
    init(_ error: ChannelSystemError) {
        self =
            switch error.code {
            // The link ended (0x13 to 0x16), there is none, or the adapter is gone.
            case ENOTCONN, ECONNRESET, ECONNABORTED, EHOSTDOWN, EHOSTUNREACH, ENODEV, EPIPE: .notConnected
            case ENETDOWN: .notPoweredOn
            // Authentication Failure (0x05) and Pairing Not Allowed (0x18).
            case EACCES, EPERM: .insufficientAuthentication
            // PIN or Key Missing (0x06).
            case EBADE: .insufficientEncryption
            case ETIMEDOUT: .noAnswer
            // EINVAL: all dynamic numbers are in use. EAFNOSUPPORT, EPROTONOSUPPORT: the kernel has no Bluetooth.
            case EADDRINUSE, EINVAL, EMFILE, ENFILE, ENOBUFS, ENOMEM, EMLINK, EAFNOSUPPORT, EPROTONOSUPPORT:
                .noResources
            // ECONNREFUSED: the kernel does not tell why the peer refused: no such service, no resources or another reason.
            default: .refused
            }
    }
}

extension ChannelEnd {
    /// How a channel ended, by the number of an error of the kernel; 0 is an end without one.
    ///
    /// The kernel has the same number for a peer that closes the channel and one that ends the link.
    init(code: Int32) {
        self =
            switch code {
            case 0, EPIPE, ECONNRESET: .peer
            case EPROTO, EMSGSIZE: .violation
            default: .linkLost
            }
    }
}
