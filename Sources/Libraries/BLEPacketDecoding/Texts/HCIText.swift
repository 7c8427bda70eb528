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

    // MARK: The packet list

    /// The specification's name of a command or an event, or the kind of another packet.
    static func name(_ packet: Span<UInt8>) -> String { describe(packet, in: .english).name }

    /// A packet of a capture, which may be cut at any place.
    static func describe(_ packet: Span<UInt8>, in language: TextLanguage) -> PDUText {
        guard packet.count > 0 else { return PDUText("HCI", language.empty) }
        let type = H4.PacketType(rawValue: packet[0])
        let octets = packet.extracting(droppingFirst: 1)
        switch type {
        case .command:
            guard let command = try? HCI.CommandPacket(decoding: octets) else { break }
            return PDUText("\(command.opcode)", octetText(command.parameters, in: language))
        case .event:
            guard let event = try? HCI.EventPacket(decoding: octets) else { break }
            return describe(event, language)
        case .acl:
            let header = octets.extracting(first: HCI.ACLHeader.encodedLength)
            guard let header = try? HCI.ACLHeader(decoding: header) else { break }
            return PDUText(
                "ACL data",
                "\(language.handle) \(hexadecimal(header.connectionHandle, digits: 4))\(language.comma)"
                    + language.octets(header.dataLength))
        case .synchronous: return PDUText("SCO data", language.octets(octets.count))
        case .iso: return PDUText("ISO data", language.octets(octets.count))
        default: break
        }
        return PDUText("HCI", "\(language.undecodable)  \(octetText(packet, in: language))")
    }

    private static func describe(_ event: borrowing HCI.EventPacket, _ language: TextLanguage) -> PDUText {
        let parameters = event.parameters
        switch event.code {
        case .commandComplete:
            guard let complete = try? HCI.CommandComplete(decoding: parameters) else { break }
            let answer = complete.returnParameters
            guard answer.count > 0 else { return PDUText("\(event.code)", "\(complete.opcode)") }
            let rest = answer.count > 1 ? "  \(octetText(answer.extracting(droppingFirst: 1), in: language))" : ""
            return PDUText(
                "\(event.code)", "\(complete.opcode): \(language.error(HCI.ErrorCode(rawValue: answer[0])))\(rest)")
        case .commandStatus:
            guard let status = try? HCI.CommandStatus(decoding: parameters) else { break }
            return PDUText("\(event.code)", "\(status.opcode): \(language.error(status.status))")
        case .disconnectionComplete:
            guard let event = try? HCI.DisconnectionComplete(decoding: parameters) else { break }
            return PDUText(
                "\(HCI.EventCode.disconnectionComplete)",
                "\(handle(event.connectionHandle, language))\(language.comma)\(language.error(event.reason))")
        case .leMeta:
            guard parameters.count > 0 else { break }
            let code = HCI.LESubeventCode(rawValue: parameters[0])
            let rest = parameters.extracting(droppingFirst: 1)
            return PDUText("\(code)", describe(code, rest, language) ?? octetText(rest, in: language))
        default: break
        }
        return PDUText("\(event.code)", octetText(parameters, in: language))
    }

    private static func describe(
        _ code: HCI.LESubeventCode, _ parameters: Span<UInt8>, _ language: TextLanguage
    ) -> String? {
        switch code {
        case .connectionComplete:
            guard let event = try? HCI.LEConnectionComplete(decoding: parameters) else { return nil }
            return connection(
                event.status, event.connectionHandle, event.role, event.peerAddress, event.interval, language)
        case .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
            let octets = parameters.extracting(first: HCI.LEEnhancedConnectionComplete.octetCount)
            guard let event = try? HCI.LEEnhancedConnectionComplete(decoding: octets) else { return nil }
            return connection(
                event.status, event.connectionHandle, event.role, event.peerAddress, event.interval, language)
        case .advertisingReport:
            guard var event = try? HCI.LEAdvertisingReport(decoding: parameters) else { return nil }
            let count = event.count
            guard let report = event.next() else { return nil }
            return self.report(report.address, AD.localName(in: report.data), count, language)
        case .extendedAdvertisingReport:
            guard var event = try? HCI.LEExtendedAdvertisingReport(decoding: parameters) else { return nil }
            let count = event.count
            guard let report = event.next() else { return nil }
            return self.report(report.address, AD.localName(in: report.data), count, language)
        default: return nil
        }
    }

    private static func handle(_ number: UInt16, _ language: TextLanguage) -> String {
        "\(language.handle) \(hexadecimal(number, digits: 4))"
    }

    private static func connection(
        _ status: HCI.ErrorCode, _ number: UInt16, _ role: HCI.Role, _ peer: DeviceAddress, _ interval: UInt16,
        _ language: TextLanguage
    ) -> String {
        guard status == .success else { return language.error(status) }
        let role = role == .peripheral ? language("peripheral", "外设") : language("central", "中心设备")
        return [
            handle(number, language), role, FieldWords.address(peer, language),
            language("interval \(intervalText(interval))", "间隔 \(intervalText(interval))"),
        ].joined(separator: language.comma)
    }

    private static func report(
        _ address: DeviceAddress, _ name: String?, _ count: UInt8, _ language: TextLanguage
    ) -> String {
        let more = count > 1 ? language(" and \(count - 1) more", "，另有 \(count - 1) 个") : ""
        return FieldWords.address(address, language) + (name.map { " \"\($0)\"" } ?? "") + more
    }

    // MARK: Traces

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
