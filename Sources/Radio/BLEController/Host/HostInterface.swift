import BLEWire

/// The controller's end of the host controller interface: the packets for the host, and the event masks that the host set (Vol 4, Part E, 4).
struct HostInterface {
    /// H4 packets for the host.
    var output: [UInt8] = []
    /// Whether the radio's list of controllers with output contains this one.
    var isListed = false
    /// Whether there is output and the radio's list does not contain this controller.
    var hasUnlistedOutput: Bool { !isListed && !output.isEmpty }
    var eventMask = HCI.EventMask.default
    var eventMaskPage2: HCI.EventMaskPage2 = []
    var leEventMask = HCI.LEEventMask.default

    /// Restores the masks after power on (Vol 4, Part E, 7.3.2).
    mutating func resetMasks() {
        eventMask = .default
        eventMaskPage2 = []
        leEventMask = .default
    }

    // Every packet below fits the length of its type, so its encoding cannot fail. A failed encoding writes nothing.

    /// Sends an event unless the host's event mask excludes it (Vol 4, Part E, 7.3.1).
    mutating func emit(_ event: some HCIEvent) {
        let code = type(of: event).eventCode
        guard eventMask.allows(code), eventMaskPage2.allows(code) else { return }
        try? output.append(event: event)
    }

    mutating func emit(le event: some HCILEEvent) {
        guard allows(type(of: event).subeventCode) else { return }
        try? output.append(leEvent: event)
    }

    /// Whether both event masks include an LE event (Vol 4, Part E, 7.3.1 and 7.8.1).
    func allows(_ subevent: HCI.LESubeventCode) -> Bool {
        eventMask.contains(.leMeta) && leEventMask.allows(subevent)
    }

    mutating func complete<C: HCICommand>(_ command: C.Type, _ parameters: C.ReturnParameters) {
        try? output.appendCommandComplete(of: command, returning: parameters)
    }

    /// Answers a command without an effect.
    mutating func answer<C: HCICommand>(
        _ command: C.Type, _ parameters: Span<UInt8>, _ values: C.ReturnParameters
    ) throws(HCI.ErrorCode) {
        _ = try C(from: parameters)
        complete(command, values)
    }

    mutating func complete(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode) {
        output.appendCommandComplete(of: opcode, status: status)
    }

    mutating func complete(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode, handle: UInt16) {
        try? output.appendCommandComplete(
            of: opcode, returning: HCI.ConnectionReturn(status: status, connectionHandle: handle))
    }

    mutating func complete(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode, advertisingHandle: UInt8) {
        try? output.appendCommandComplete(
            of: opcode,
            returning: HCI.LESetPeriodicAdvertisingParametersV2.ReturnParameters(
                status: status, advertisingHandle: advertisingHandle))
    }

    mutating func answer(_ opcode: HCI.Opcode, status: HCI.ErrorCode) {
        output.appendCommandStatus(of: opcode, status: status)
    }
}

extension HCICommand {
    /// Decodes the parameters of a command. The error code is that of malformed parameters.
    init(from parameters: Span<UInt8>) throws(HCI.ErrorCode) {
        do throws(DecodeError) { try self.init(decoding: parameters) } catch { throw .invalidHCICommandParameters }
    }
}
