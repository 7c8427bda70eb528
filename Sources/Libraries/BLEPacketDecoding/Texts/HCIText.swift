import BLEWire

/// Describes packets between a host and its controller (Vol 4, Part E, 5.4).
package enum HCIText {
    package static func line(_ packet: Span<UInt8>) -> String {
        guard let decoded = try? H4.Packet(decoding: packet) else { return "undecodable  \(octetText(packet))" }
        switch decoded {
        case .command(let command):
            return command.parameters.isEmpty
                ? "\(command.opcode)" : "\(command.opcode)  \(octetText(command.parameters))"
        case .acl(let acl):
            return "ACL handle \(hexadecimal(acl.connectionHandle, digits: 4)), \(acl.data.count) octets"
        case .event(let event): return line(event)
        case .other(let type, let bytes): return "packet type \(type.rawValue)  \(octetText(bytes))"
        }
    }

    private static func line(_ event: borrowing HCI.EventPacket) -> String {
        switch event.code {
        case .commandComplete:
            guard let complete = try? HCI.CommandComplete(decoding: event.parameters) else { break }
            return "Command Complete: \(complete.opcode)  \(octetText(complete.returnParameters))"
        case .commandStatus:
            guard let status = try? HCI.CommandStatus(decoding: event.parameters) else { break }
            return "Command Status: \(status.opcode)  \(status.status)"
        case .leMeta:
            guard !event.parameters.isEmpty else { break }
            let code = HCI.LESubeventCode(rawValue: event.parameters[0])
            return "\(code)  \(octetText(event.parameters.extracting(droppingFirst: 1)))"
        default: break
        }
        return "\(event.code)  \(octetText(event.parameters))"
    }
}
