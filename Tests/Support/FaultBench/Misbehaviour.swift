import BLEWire

/// A kind of error in a packet of a controller.
package enum Misbehaviour: CaseIterable, Sendable {
    case tooShort
    /// Without parameters.
    case empty
    case tooLong
    /// For a command that was not sent, or for a link that does not exist.
    case aboutSomethingElse
    /// With an error instead of success.
    case refused
    case twice
    case never
    /// After the deadline of the command.
    case late

    /// The packets of the controller that an error affects.
    package enum Target: Hashable, Sendable {
        /// Command Complete or Command Status of this command.
        case answer(HCI.Opcode)
        case event(HCI.EventCode)
        case leEvent(HCI.LESubeventCode)
        case data

        package func matches(_ packet: [UInt8]) -> Bool {
            switch self {
            case .data: return packet[0] == 2
            case .event(let code): return packet[0] == 4 && packet[1] == code.rawValue
            case .leEvent(let code): return packet[0] == 4 && packet[1] == 0x3E && packet[3] == code.rawValue
            case .answer(let opcode):
                guard packet[0] == 4, packet[1] == 0x0E || packet[1] == 0x0F else { return false }
                let offset = packet[1] == 0x0E ? 4 : 5
                return UInt16(packet[offset]) | UInt16(packet[offset + 1]) << 8 == opcode.rawValue
            }
        }
    }

    /// Whether such a packet has the affected field: some have no status, some no handle.
    package func exists(for target: Target) -> Bool {
        switch (self, target) {
        case (.refused, .data), (.refused, .event(.numberOfCompletedPackets)), (.refused, .leEvent(.dataLengthChange)),
            (.refused, .leEvent(.advertisingReport)), (.aboutSomethingElse, .leEvent(.advertisingReport)),
            (.refused, .leEvent(.extendedAdvertisingReport)),
            (.aboutSomethingElse, .leEvent(.extendedAdvertisingReport)):
            false
        default: true
        }
    }

    /// The packet to send instead of `packet`. The line handles `late`.
    package func apply(to packet: [UInt8], _ target: Target) -> [[UInt8]] {
        var changed = packet
        // A Command Complete keeps the opcode of its command. A Command Status consists of little else.
        let fixed =
            switch target {
            case .answer: packet[1] == 0x0E ? 3 : 0
            case .event, .leEvent: packet[1] == 0x3E ? 1 : 0
            case .data: 0
            }
        switch self {
        case .tooShort: Forger.setLength(of: &changed, to: max(fixed, Forger.length(of: packet) - 1))
        case .empty: Forger.setLength(of: &changed, to: fixed)
        case .tooLong: Forger.setLength(of: &changed, to: Forger.length(of: packet) + 3)
        case .aboutSomethingElse:
            if case .answer = target {
                // The opcode after LE Read Filter Accept List Size, which the host never sends.
                let offset = packet[1] == 0x0E ? 4 : 5
                changed[offset] = 0x17
                changed[offset + 1] = 0x20
            } else {
                Forger.setHandle(of: &changed, to: 0x0ABC)
            }
        case .refused:
            switch target {
            case .answer: changed[packet[1] == 0x0E ? 6 : 3] = 0x1F
            case .event: changed[3] = 0x1F
            case .leEvent: changed[4] = 0x1F
            case .data: break
            }
        case .twice: return [packet, packet]
        case .never: return []
        case .late: break
        }
        return [changed]
    }
}
