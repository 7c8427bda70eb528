import BLEWire

/// The packets between hosts and their controllers (Vol 4, Part E).
extension AirDissector {
    /// Decodes the next H4 packet. It may be cut at any place.
    ///
    /// - Parameters:
    ///   - isSent: Whether the host sent it; nil if the capture does not say it.
    ///   - controller: The number of the controller, in a capture of several.
    /// - Returns: The content, and whether the host sent it.
    package mutating func add(
        host octets: [UInt8], isSent: Bool?, controller: UInt16, at time: Int64
    ) -> (summary: PacketSummary, isSent: Bool) {
        let type = H4.PacketType(rawValue: octets.first ?? 0)
        if type == .acl, let data = addData(octets, isSent: isSent, controller, at: time) { return data }
        if type == .event { noteEvent(octets, controller) }
        var summary = PacketSummary(
            content: .host, layer: type == .command || type == .event ? .hci : .data, octets: octets)
        summary.isHost = true
        return (summary, isSent ?? (type != .event))
    }

    private mutating func addData(
        _ octets: [UInt8], isSent: Bool?, _ controller: UInt16, at time: Int64
    ) -> (summary: PacketSummary, isSent: Bool)? {
        let octetsOfHeader = Array(octets.dropFirst().prefix(HCI.ACLHeader.encodedLength))
        guard let header = try? HCI.ACLHeader(decoding: octetsOfHeader.span) else { return nil }
        let payload = octets.dropFirst(1 + HCI.ACLHeader.encodedLength).prefix(Int(header.dataLength))
        let known = hostLinks[controller, header.connectionHandle]
        guard known != nil || header.isOfOlderLink(payload) else { return nil }
        let link = known ?? hostLinks.begin(controller, header.connectionHandle, local: nil)
        if links[link.number] == nil {
            makeRoom()
            links[link.number] = LinkState(central: link.isRoleKnown ? 0 : nil, connecting: nil)
        }
        let isSent = isSent ?? header.isFromHost(isFrameIncomplete: links[link.number]!.hasPart(from: link.local))
        let sender = isSent ? link.local : link.local.other
        let before = links[link.number]!.reassembledOctets
        let summary = links[link.number]!.add(
            host: octets, isStart: header.boundary.isFirst, from: sender, link: link.number, at: time, &conversations)
        limitReassembly(after: links[link.number]!.reassembledOctets - before)
        return (summary, isSent)
    }

    /// Follows the beginning and the end of links.
    private mutating func noteEvent(_ octets: [UInt8], _ controller: UInt16) {
        let octets = Array(octets.dropFirst())
        guard let event = try? HCI.EventPacket(decoding: octets.span) else { return }
        let parameters = event.parameters
        switch event.code {
        case .disconnectionComplete:
            guard let event = try? HCI.DisconnectionComplete(decoding: parameters), event.status == .success else {
                return
            }
            hostLinks.end(controller, event.connectionHandle)
        case .leMeta:
            guard parameters.count > 0 else { return }
            let rest = parameters.extracting(droppingFirst: 1)
            switch HCI.LESubeventCode(rawValue: parameters[0]) {
            case .connectionComplete:
                guard let event = try? HCI.LEConnectionComplete(decoding: rest) else { return }
                connected(event.status, controller, event.connectionHandle, event.role)
            case .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
                let octets = rest.extracting(first: HCI.LEEnhancedConnectionComplete.octetCount)
                guard let event = try? HCI.LEEnhancedConnectionComplete(decoding: octets) else { return }
                connected(event.status, controller, event.connectionHandle, event.role)
            default: break
            }
        default: break
        }
    }

    private mutating func connected(_ status: HCI.ErrorCode, _ controller: UInt16, _ handle: UInt16, _ role: HCI.Role) {
        guard status == .success else { return }
        _ = hostLinks.begin(controller, handle, local: role == .peripheral ? .peripheral : .central)
    }
}
