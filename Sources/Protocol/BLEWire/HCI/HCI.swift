/// The Host Controller Interface: one type for each command, event and data packet (Vol 4, Part E). The host and the
/// virtual controller use the same types.
@usableFromInline
package enum HCI {}

/// A command. `init(decoding:)` and `encode(into:)` handle its parameters, without the opcode and the length.
package protocol HCICommand: PDU, ~Escapable {
    static var opcode: HCI.Opcode { get }
    /// The octets of Command Complete after the opcode; the first is always the status.
    associatedtype ReturnParameters: PDU = HCI.StatusReturn
}

/// A command that the controller answers with Command Status. Another event carries the result.
package protocol HCIStatusCommand: HCICommand, ~Escapable where ReturnParameters == HCI.StatusReturn {}

/// An event. `init(decoding:)` and `encode(into:)` handle its parameters, without the event code and the length.
package protocol HCIEvent: PDU, ~Escapable {
    static var eventCode: HCI.EventCode { get }
}

/// An event inside LE Meta. `init(decoding:)` and `encode(into:)` handle the octets after the subevent code.
package protocol HCILEEvent: PDU, ~Escapable {
    static var subeventCode: HCI.LESubeventCode { get }
}

extension HCI {
    /// Return parameters with a status only.
    package struct StatusReturn: FieldPDU, Hashable {
        package var status: HCI.ErrorCode
    }

    /// Return parameters with a status and a connection handle.
    package struct ConnectionReturn: FieldPDU, Hashable {
        package var status: HCI.ErrorCode
        package var connectionHandle: HCI.ConnectionHandle
    }
}
