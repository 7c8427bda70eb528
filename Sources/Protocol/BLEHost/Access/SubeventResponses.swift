import BLEWire

/// What a host keeps for the subevents of an own train: the pieces of a response, and the commands without an answer.
struct SubeventResponses: Sendable {
    private struct Partial: Sendable {
        let subevent: UInt8
        let slot: UInt8
        var octets: [UInt8]
    }

    /// The most commands with data that wait for their answers.
    static let commandLimit = 32

    private var partial: Partial?
    private var commands = 0

    /// A train begins. The rest of a response to the former one never comes.
    mutating func trainStarted() { partial = nil }

    mutating func beginData() -> Bool {
        guard commands < Self.commandLimit else { return false }
        commands += 1
        return true
    }

    mutating func endData() { commands = max(0, commands - 1) }

    /// Takes a piece of a response (Vol 4, Part E, 7.7.65.37). Returns the octets when the last one has come, and nil for more than a response can
    /// have.
    mutating func received(
        _ data: Span<UInt8>, slot: UInt8, _ status: HCI.ExtendedAdvertisingEventType.DataStatus, in subevent: UInt8
    ) -> [UInt8]? {
        var octets: [UInt8] = []
        if let partial, partial.subevent == subevent, partial.slot == slot { octets = partial.octets }
        partial = nil
        guard octets.count + data.count <= LL.maximumExtendedAdvertisingData else { return nil }
        octets.append(data)
        guard status == .moreToCome else { return octets }
        partial = Partial(subevent: subevent, slot: slot, octets: octets)
        return nil
    }
}
