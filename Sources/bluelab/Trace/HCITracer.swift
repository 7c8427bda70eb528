import BLEAdapter
import BLEVirtualRadio
import BLEWire

/// Formats packets between a host and its controller: one line for each.
enum HCITracer {
    static func describe(_ packet: Span<UInt8>, direction: HCIDirection, time instant: Instant, device: String)
        -> String
    {
        let arrow = direction == .toController ? ">" : "<"
        return "\(time(instant))  HCI     \(filled(device, 9))  \(arrow)  \(content(packet))"
    }

    private static func content(_ packet: Span<UInt8>) -> String {
        guard let decoded = try? H4.Packet(decoding: packet) else { return "undecodable  \(hexadecimal(packet))" }
        switch decoded {
        case .command(let command):
            return command.parameters.isEmpty
                ? "\(command.opcode)" : "\(command.opcode)  \(hexadecimal(command.parameters))"
        case .acl(let acl):
            return "ACL handle \(hexadecimal(acl.connectionHandle, digits: 4)), \(acl.data.count) octets"
        case .event(let event): return describe(event)
        case .other(let type, let bytes): return "packet type \(type.rawValue)  \(hexadecimal(bytes))"
        }
    }

    private static func describe(_ event: borrowing HCI.EventPacket) -> String {
        switch event.code {
        case .commandComplete:
            guard let complete = try? HCI.CommandComplete(decoding: event.parameters) else { break }
            return "Command Complete: \(complete.opcode)  \(hexadecimal(complete.returnParameters))"
        case .commandStatus:
            guard let status = try? HCI.CommandStatus(decoding: event.parameters) else { break }
            return "Command Status: \(status.opcode)  \(status.status)"
        case .leMeta:
            guard !event.parameters.isEmpty else { break }
            let code = HCI.LESubeventCode(rawValue: event.parameters[0])
            return "\(code)  \(hexadecimal(event.parameters.extracting(droppingFirst: 1)))"
        default: break
        }
        return "\(event.code)  \(hexadecimal(event.parameters))"
    }
}
