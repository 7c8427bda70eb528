import BLEWire

/// The prepare queue of one client: parts of values to be written together (Vol 3, Part F, 3.4.6). All bearers of the client share it: parts
/// that came on several bearers are written in the order of their requests, and those of a bearer that has ended stay.
struct PrepareQueue {
    /// The limit of parts, and of their octets together: two values of maximum length at ATT_MTU 23.
    static let limit = 64
    static let octetLimit = 4 * ATT.maximumValueLength

    /// The parts in their order. Their values are ranges of `octets`.
    private(set) var items: [ATTWriteItem] = []
    private(set) var octets: [UInt8] = []

    /// Appends a part. Returns false, without effect, if the queue is full.
    mutating func append(_ request: ATT.PrepareWriteRequest) -> Bool {
        let start = octets.count
        guard items.count < Self.limit, start + request.value.count <= Self.octetLimit else { return false }
        octets.append(request.value)
        items.append(
            ATTWriteItem(handle: request.handle, offset: Int(request.offset), value: start..<octets.count))
        return true
    }

    mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
        octets.removeAll(keepingCapacity: true)
    }
}
