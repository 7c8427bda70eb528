/// What a transfer reports to its program.
public enum TransferEvent: Sendable {
    /// There is a link to the device of this name, and both ends can exchange messages.
    case linked(name: String?)
    /// Octets of a file flow from this offset on.
    case started(TransferOffer, offset: Int)
    /// The receiver has stored this number of octets.
    case progress(TransferOffer, stored: Int)
    /// The link ended before the transfer. It continues with the next link.
    case linkLost
    /// The transfer ended; a nil error is success. The offer is nil if there was none.
    case ended(TransferOffer?, TransferError?)
}

/// What a program transfers.
public enum Transfer {
    /// Send a file.
    case send(any TransferSource)
    /// Receive files.
    case receive(into: any TransferStore)
}

/// The carrier that a central chooses.
public enum TransferCarrier: Hashable, Sendable {
    /// The characteristics of the transfer service: write commands or notifications for the file.
    case attributes
    /// An L2CAP channel of the peripheral.
    case channel
}
