import BLELink
import BLEWire

extension HostStack {
    /// Takes one H4 packet of the controller, with its type octet (Vol 4, Part A, 2). Any content is safe.
    package mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        guard !lifecycle.isOff else { return }
        guard !packet.isEmpty else {
            output.events.report(.malformedPacket)
            return
        }
        let body = packet.extracting(droppingFirst: 1)
        switch H4.PacketType(rawValue: packet[0]) {
        case .acl:
            if receiveAttribute(packet, at: now) { return }
            receiveData(body, at: now)
            output.pump(connections, at: now)
        case .event:
            if packet.count == 8, let sole = H4.soleCompletion(decoding: packet) {
                output.data.moved()
                completed(sole.count, handle: sole.connectionHandle, at: now)
                return output.pump(connections, at: now)
            }
            switch receiveEvent(body, at: now) {
            case .nothing: break
            case .room: output.pump(connections, at: now)
            case .anything: finish(at: now)
            }
        case .synchronous, .iso: break
        default: output.events.report(.malformedPacket)
        }
    }

    /// Whether an advertising report changes nothing in this host: it passes the report on, under the address in the packet.
    package var passesReports: Bool { access.passesReports && !lifecycle.isOff }

    /// Takes a packet that is a whole PDU of the attribute channel on an ordinary link, the most frequent data. It needs none of the work for
    /// fragments, and a notification none of the work after other packets. Returns false, without effect, for any other packet.
    private mutating func receiveAttribute(_ packet: Span<UInt8>, at now: Instant) -> Bool {
        guard let attribute = H4.AttributePacket(decoding: packet),
            let connection = connections[handle: attribute.connectionHandle],
            connection.visibility == .open, !connection.isRefusing, connection.reassembler.isIdle,
            attribute.frameCount <= connection.reassembler.limit
        else { return false }
        if let notification = attribute.notification {
            let stored = connection.bearer.receiveNotification(
                of: notification.handle, notification.value, into: &output.events.attributes.arena)
            if let stored { output.events.append(.value(connection.identifier, stored)) }
        } else {
            receiveAttribute(attribute.pdu, on: connection, at: now)
            output.pump(connections, at: now)
        }
        return true
    }

    private mutating func receiveData(_ body: Span<UInt8>, at now: Instant) {
        guard let packet = try? HCI.ACLPacket(decoding: body) else {
            output.events.report(.malformedPacket)
            return
        }
        guard let connection = connections[handle: packet.connectionHandle] else {
            unknownLink(packet.connectionHandle, at: now)
            return
        }
        connections.confirm(connection, &output)
        // This host has begun to end the link.
        if connection.isSilent { return }
        receive(packet.data, isContinuation: !packet.boundary.isFirst, on: connection, at: now)
    }

    /// Takes data for an unknown link and ends that link: it may remain from before a reset.
    private mutating func unknownLink(_ handle: UInt16, at now: Instant) {
        guard lifecycle.isRunning else { return }
        output.events.report(.unknownHandle(handle))
        switch connections.dataOfUnknownLink() {
        case .none: return
        case .recover: if recoverUnknownLink(at: now) { return }
        case .disconnect: break
        }
        connections.endsUnknownLink()
        output.commands.enqueue(HCI.Disconnect(connectionHandle: handle), for: .staleLink)
    }

    /// The work after an event. Frequent events need little of it.
    private enum Aftermath {
        case nothing
        /// The controller has room for packets.
        case room
        case anything
    }

    private mutating func receiveEvent(_ body: Span<UInt8>, at now: Instant) -> Aftermath {
        guard let packet = try? HCI.EventPacket(decoding: body) else {
            output.events.report(.malformedPacket)
            return .nothing
        }
        do throws(DecodeError) {
            switch packet.code {
            case .numberOfCompletedPackets:
                try completedPackets(packet.parameters, at: now)
                return .room
            case .leMeta: return try receiveLEEvent(packet.parameters, at: now)
            case .commandComplete:
                let event = try HCI.CommandComplete(decoding: packet.parameters)
                answered(output.commands.answered(event), event.opcode, event.returnParameters, at: now)
            case .commandStatus:
                let event = try HCI.CommandStatus(decoding: packet.parameters)
                let status: [1 of UInt8] = [event.status.rawValue]
                answered(output.commands.answered(event), event.opcode, status.span, at: now)
            case .disconnectionComplete:
                disconnectionComplete(try HCI.DisconnectionComplete(decoding: packet.parameters), at: now)
            case .encryptionChange:
                let event = try HCI.EncryptionChange(decoding: packet.parameters)
                encryptionChanged(
                    event.connectionHandle, event.status, isOn: event.encryptionEnabled != 0, at: now)
            case .encryptionKeyRefreshComplete:
                let event = try HCI.EncryptionKeyRefreshComplete(decoding: packet.parameters)
                encryptionChanged(event.connectionHandle, event.status, isOn: true, at: now)
            case .authenticatedPayloadTimeoutExpired:
                let event = try HCI.AuthenticatedPayloadTimeoutExpired(decoding: packet.parameters)
                if let connection = known(event.connectionHandle) {
                    security.payloadTimedOut(connection, at: now, &output)
                }
            case .hardwareError:
                fail(.hardwareError(try HCI.HardwareError(decoding: packet.parameters).hardwareCode), at: now)
            default: break
            }
        } catch {
            output.events.report(.malformedEvent(packet.code, packet.parameters.isEmpty ? 0 : packet.parameters[0]))
        }
        return .anything
    }

    /// Takes Number Of Completed Packets (Vol 4, Part E, 7.7.19). A completed packet was acknowledged by the peer.
    private mutating func completedPackets(_ parameters: Span<UInt8>, at now: Instant) throws(DecodeError) {
        var event = try HCI.NumberOfCompletedPackets(decoding: parameters)
        output.data.moved()
        while let entry = event.entries.next() { completed(entry.count, handle: entry.connectionHandle, at: now) }
    }

    @inline(__always)
    private mutating func completed(_ count: UInt16, handle: UInt16, at now: Instant) {
        if connections.unconfirmed > 0, let connection = connections[handle: handle] {
            connections.confirm(connection, &output)
        }
        switch output.data.transmitter.completed(handle: handle, count: Int(count)) {
        case .moreThanSent?: output.events.report(.completedMoreThanSent)
        case .unknownHandle?: output.events.report(.unknownHandle(handle))
        case nil: break
        }
        if security.undelivered > 0, let connection = connections[handle: handle] {
            security.delivered(Int(count), on: connection, at: now, &output)
            settleSecurity()
        }
    }

    private mutating func receiveLEEvent(_ bytes: Span<UInt8>, at now: Instant) throws(DecodeError) -> Aftermath {
        let meta = try HCI.LEMetaEvent(decoding: bytes)
        let parameters = meta.parameters
        switch meta.subeventCode {
        case .advertisingReport:
            let event = try HCI.LEAdvertisingReport(decoding: parameters)
            return access.receive(event, using: security.crypto, &output) ? .anything : .nothing
        case .extendedAdvertisingReport:
            let event = try HCI.LEExtendedAdvertisingReport(decoding: parameters)
            return access.receive(event, at: now, using: security.crypto, &output) ? .anything : .nothing
        case .advertisingSetTerminated:
            advertisingTerminated(try HCI.LEAdvertisingSetTerminated(decoding: parameters))
        case .connectionComplete:
            let event = try HCI.LEConnectionComplete(decoding: parameters)
            connectionComplete(event.status, NewLink(event), at: now)
        case .enhancedConnectionComplete:
            let event = try HCI.LEEnhancedConnectionComplete(decoding: parameters)
            connectionComplete(event.status, NewLink(event), at: now)
        case .longTermKeyRequest:
            let event = try HCI.LELongTermKeyRequest(decoding: parameters)
            security.longTermKeyRequested(event, on: connections[handle: event.connectionHandle], at: now, &output)
        case .remoteConnectionParameterRequest:
            let event = try HCI.LERemoteConnectionParameterRequest(decoding: parameters)
            event.answer(on: connections[handle: event.connectionHandle], &output)
        case .connectionUpdateComplete:
            let event = try HCI.LEConnectionUpdateComplete(decoding: parameters)
            guard let connection = connections[handle: event.connectionHandle] else { break }
            guard event.status == .success else {
                connection.updateFailed(&output)
                break
            }
            connections.confirm(connection, &output)
            connection.updated(event, &output)
        case .readRemoteFeaturesComplete:
            let event = try HCI.LEReadRemoteFeaturesComplete(decoding: parameters)
            guard let connection = connections[handle: event.connectionHandle] else { break }
            if event.status == .success { connections.confirm(connection, &output) }
            connection.featuresRead(event, &output)
        case .dataLengthChange:
            let event = try HCI.LEDataLengthChange(decoding: parameters)
            connections[handle: event.connectionHandle]?.dataLengthChanged(event, &output)
        case .phyUpdateComplete:
            let event = try HCI.LEPHYUpdateComplete(decoding: parameters)
            connections[handle: event.connectionHandle]?.phyChanged(event, &output)
        case .transmitPowerReporting:
            let event = try HCI.LETransmitPowerReporting(decoding: parameters)
            connections[handle: event.connectionHandle]?.powerReported(event, &output)
        case .pathLossThreshold:
            let event = try HCI.LEPathLossThreshold(decoding: parameters)
            connections[handle: event.connectionHandle]?.pathLossReported(event, &output)
        case .subrateChange:
            let event = try HCI.LESubrateChange(decoding: parameters)
            connections[handle: event.connectionHandle]?.subrateChanged(event, &output)
        case .periodicAdvertisingReport:
            access.receive(try HCI.LEPeriodicAdvertisingReport(decoding: parameters), &output)
            return .nothing
        case .periodicAdvertisingReportV2:
            access.receive(try HCI.LEPeriodicAdvertisingReportV2(decoding: parameters), &output)
            return .nothing
        default: try receivePeriodicEvent(meta.subeventCode, parameters)
        }
        return .anything
    }

    /// The link with a handle, which an event of the controller names.
    private mutating func known(_ handle: UInt16) -> Connection? {
        if let connection = connections[handle: handle] { return connection }
        output.events.report(.unknownHandle(handle))
        return nil
    }

    /// Takes Encryption Change and Encryption Key Refresh Complete.
    private mutating func encryptionChanged(_ handle: UInt16, _ status: HCI.ErrorCode, isOn: Bool, at now: Instant) {
        guard let connection = known(handle) else { return }
        security.encryptionChanged(
            status, isOn: isOn, on: connection, among: &connections, database: database, at: now, &output)
        settleSecurity()
    }
}
