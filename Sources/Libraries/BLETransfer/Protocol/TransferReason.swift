/// The reason with which one end ends a transfer: the octet of the message END.
public struct TransferReason: RawRepresentable, Hashable, Sendable {
    /// The octet on the air.
    public let rawValue: UInt8

    /// Any octet is valid: later versions may add reasons.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The receiver has stored the whole file, and the digest matches.
    public static let complete = TransferReason(rawValue: 0)
    /// The user of one end cancelled.
    public static let cancelled = TransferReason(rawValue: 1)
    /// The other end was silent for longer than ``TransferTiming/answerLimit``.
    public static let timeout = TransferReason(rawValue: 2)
    /// The other end sent a message that the protocol does not allow at that point.
    public static let protocolError = TransferReason(rawValue: 3)
    /// The receiver does not speak the sender's version of the protocol.
    public static let unsupportedVersion = TransferReason(rawValue: 4)
    /// The file is larger than the receiver accepts.
    public static let tooLarge = TransferReason(rawValue: 5)
    /// The receiver has no space for the file.
    public static let noSpace = TransferReason(rawValue: 6)
    /// The receiver does not accept the name of the file.
    public static let nameNotAllowed = TransferReason(rawValue: 7)
    /// The receiver has another file of that name.
    public static let fileExists = TransferReason(rawValue: 8)
    /// The receiver is busy with another transfer.
    public static let busy = TransferReason(rawValue: 9)
    /// The octets that the receiver stored do not have the offered digest.
    public static let digestMismatch = TransferReason(rawValue: 10)
    /// The receiver cannot store octets, or the sender cannot read its file.
    public static let storageFailed = TransferReason(rawValue: 11)
    /// Both ends send.
    public static let wrongRole = TransferReason(rawValue: 12)
}

extension TransferReason: CustomStringConvertible {
    /// The reason as the end of a sentence, such as "it has no space for the file".
    public var description: String {
        switch self {
        case .complete: "the transfer is complete"
        case .cancelled: "the transfer was cancelled"
        case .timeout: "the other end was silent for too long"
        case .protocolError: "a message was not valid"
        case .unsupportedVersion: "the version of the protocol is not supported"
        case .tooLarge: "the file is too large"
        case .noSpace: "there is no space for the file"
        case .nameNotAllowed: "the name of the file is not allowed"
        case .fileExists: "another file has that name"
        case .busy: "another transfer is in progress"
        case .digestMismatch: "the stored octets do not have the digest of the file"
        case .storageFailed: "the file cannot be read or written"
        case .wrongRole: "both ends send"
        default: "reason \(rawValue)"
        }
    }
}
