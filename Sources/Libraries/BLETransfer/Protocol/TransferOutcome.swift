/// How a transfer ended without the whole file.
public enum TransferError: Error, Hashable, Sendable {
    /// The peer ended the transfer with this reason.
    case endedByPeer(TransferReason)
    /// This end ended the transfer with this reason.
    case ended(TransferReason)
    /// There was no link for longer than ``TransferTiming/linkLimit``.
    case noLink
    /// The device has no transfer service, or the service has not all of its characteristics.
    case noService
    /// The device refused an operation. The text is the error's description.
    case refused(String, isSecurity: Bool)
    /// The adapter is missing, off, or not permitted.
    case notPoweredOn
    /// The file cannot be read or written. The text names the file and the reason.
    case file(String)
}

extension TransferError: CustomStringConvertible {
    /// One sentence without its full stop.
    public var description: String {
        switch self {
        case .endedByPeer(let reason): "the other end ended the transfer: \(reason)"
        case .ended(let reason): "the transfer ended: \(reason)"
        case .noLink: "the link was lost and did not come back"
        case .noService: "the device has no transfer service"
        case .refused(let text, _): "the device refused an operation: \(text)"
        case .notPoweredOn: "the Bluetooth adapter is not powered on"
        case .file(let text): text
        }
    }
}
