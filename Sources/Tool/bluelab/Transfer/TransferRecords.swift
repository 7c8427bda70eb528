import BLETransfer

/// A line of `bluelab transfer --json` during the transfer.
struct TransferringRecord: Encodable {
    let type = "transferring"
    /// The name of the file.
    let file: String
    /// `send` or `receive`.
    let direction: String
    /// The size of the file in octets.
    let size: Int
    /// The number of octets that the receiver has stored.
    let stored: Int
    /// Octets per second.
    let rate: Double?
    /// Seconds to the end.
    let remaining: Double?
    let reconnects: Int
    /// Seconds since the octets began to flow.
    let time: Double
}

/// The line of `bluelab transfer --json` for a complete file.
struct TransferredRecord: Encodable {
    let type = "transferred"
    let file: String
    let direction: String
    let size: Int
    /// The SHA-256 digest in hexadecimal digits.
    let digest: String
    /// The path of a received file.
    let path: String?
    /// The offset in octets at which this run began.
    let resumed: Int
    let reconnects: Int
    /// Seconds since the octets began to flow.
    let time: Double
}
