import BLELink
import BLEWire

extension HostStack {
    /// Takes one H4 packet of the controller, with its type octet (Vol 4, Part A, 2). Any content is safe.
    package mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        guard phase != .off else { return }
        guard !packet.isEmpty else {
            report(.malformedPacket)
            return
        }
        let body = packet.extracting(droppingFirst: 1)
        switch packet[0] {
        case 0x02:
            if receiveAttribute(packet, at: now) { return }
            receiveData(body, at: now)
            pump(at: now)
        case 0x04:
            if packet.count == 8, receiveCompletion(packet, at: now) { return }
            switch receiveEvent(body, at: now) {
            case .nothing: break
            case .room: pump(at: now)
            case .anything: finish(at: now)
            }
        case 0x03, 0x05: break
        default: report(.malformedPacket)
        }
    }

    /// Whether an advertising report changes nothing in this host: it passes the report on, under the address in the packet.
    package var passesReports: Bool {
        guard scanner.requested != nil, privacy == nil else { return false }
        if case .off = phase { return false }
        return true
    }

    /// Takes a packet that is a whole PDU of the attribute channel on an ordinary link, the most frequent data. It needs none of the work for
    /// fragments, and a notification none of the work after other packets. Returns false, without effect, for any other packet.
    private mutating func receiveAttribute(_ packet: Span<UInt8>, at now: Instant) -> Bool {
        // The packet: type, handle with flags, length; length and channel of the frame; opcode.
        let count = packet.count
        guard count >= 10, packet[7] == 0x04, packet[8] == 0, packet[2] & 0x10 == 0,
            Int(packet[3]) | Int(packet[4]) << 8 == count - 5, Int(packet[5]) | Int(packet[6]) << 8 == count - 9,
            let connection = connection(handle: (UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0x0FFF),
            connection.visibility == .open, !connection.isDisconnectHeld, connection.reassembler.isIdle,
            count - 5 <= connection.reassembler.limit
        else { return false }
        if count >= 12, packet[9] == ATT.HandleValueNotification.opcode.rawValue {
            let handle = UInt16(packet[10]) | UInt16(packet[11]) << 8
            let stored = connection.bearer.receiveNotification(
                of: handle, packet.extracting(droppingFirst: 12), into: &attributeOutput.arena)
            if let stored {
                events.append(
                    .value(
                        connection.identifier, handle: handle, stored.value, isIndication: false,
                        subscribers: stored.subscribers))
            }
        } else {
            receiveAttribute(packet.extracting(droppingFirst: 9), on: connection, at: now)
            pump(at: now)
        }
        return true
    }

    private mutating func receiveData(_ body: Span<UInt8>, at now: Instant) {
        guard let packet = try? HCI.ACLPacket(decoding: body) else {
            report(.malformedPacket)
            return
        }
        guard let connection = connection(handle: packet.connectionHandle) else {
            unknownLink(packet.connectionHandle, at: now)
            return
        }
        confirm(connection)
        receive(packet.data, isContinuation: !packet.boundary.isFirst, on: connection, at: now)
    }

    /// Takes data for an unknown link and ends that link: it may remain from before a reset. After three such links the
    /// controller evidently does not report new links, perhaps because its event mask differs from the one sent.
    private mutating func unknownLink(_ handle: UInt16, at now: Instant) {
        guard phase == .running else { return }
        report(.unknownHandle(handle))
        guard !isClearingStaleLink else { return }
        unknownLinks += 1
        if unknownLinks >= 3, recoverUnknownLink(at: now) { return }
        isClearingStaleLink = true
        enqueue(HCI.Disconnect(connectionHandle: handle), for: .staleLink)
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
            report(.malformedPacket)
            return .nothing
        }
        do throws(DecodeError) {
            switch packet.code {
            case .numberOfCompletedPackets:
                try completedPackets(packet.parameters, at: now)
                return .room
            case .leMeta: return try receiveLEEvent(packet.parameters, at: now)
            case .commandComplete: commandComplete(try HCI.CommandComplete(decoding: packet.parameters), at: now)
            case .commandStatus: commandStatus(try HCI.CommandStatus(decoding: packet.parameters), at: now)
            case .disconnectionComplete:
                disconnectionComplete(try HCI.DisconnectionComplete(decoding: packet.parameters), at: now)
            case .encryptionChange:
                let event = try HCI.EncryptionChange(decoding: packet.parameters)
                encryptionChanged(
                    handle: event.connectionHandle, event.status, isOn: event.encryptionEnabled != 0, at: now)
            case .encryptionKeyRefreshComplete:
                let event = try HCI.EncryptionKeyRefreshComplete(decoding: packet.parameters)
                encryptionChanged(handle: event.connectionHandle, event.status, isOn: true, at: now)
            case .authenticatedPayloadTimeoutExpired:
                payloadTimedOut(try HCI.AuthenticatedPayloadTimeoutExpired(decoding: packet.parameters), at: now)
            case .hardwareError:
                fail(.hardwareError(try HCI.HardwareError(decoding: packet.parameters).hardwareCode), at: now)
            default: break
            }
        } catch {
            report(.malformedEvent(packet.code, packet.parameters.isEmpty ? 0 : packet.parameters[0]))
        }
        return .anything
    }

    /// Takes Number Of Completed Packets (Vol 4, Part E, 7.7.19). A completed packet was acknowledged by the peer.
    private mutating func completedPackets(_ parameters: Span<UInt8>, at now: Instant) throws(DecodeError) {
        var event = try HCI.NumberOfCompletedPackets(decoding: parameters)
        stallEnds = nil
        while let entry = event.entries.next() { completed(entry.count, handle: entry.connectionHandle, at: now) }
    }

    /// Takes Number Of Completed Packets with one entry, as most are. Returns false, without effect, for any other packet of eight octets.
    private mutating func receiveCompletion(_ packet: Span<UInt8>, at now: Instant) -> Bool {
        // The packet: type, code, length; number of entries; handle, count.
        guard packet[1] == HCI.EventCode.numberOfCompletedPackets.rawValue, packet[2] == 5, packet[3] == 1 else {
            return false
        }
        stallEnds = nil
        let handle = (UInt16(packet[4]) | UInt16(packet[5]) << 8) & 0x0FFF
        completed(UInt16(packet[6]) | UInt16(packet[7]) << 8, handle: handle, at: now)
        pump(at: now)
        return true
    }

    @inline(__always)
    private mutating func completed(_ count: UInt16, handle: UInt16, at now: Instant) {
        if unconfirmed > 0, let connection = connection(handle: handle) { confirm(connection) }
        switch transmitter.completed(handle: handle, count: Int(count)) {
        case .moreThanSent?: report(.completedMoreThanSent)
        case .unknownHandle?: report(.unknownHandle(handle))
        case nil: break
        }
        if undelivered > 0, let connection = connection(handle: handle) {
            delivered(Int(count), on: connection, at: now)
        }
    }

    private mutating func receiveLEEvent(_ bytes: Span<UInt8>, at now: Instant) throws(DecodeError) -> Aftermath {
        let meta = try HCI.LEMetaEvent(decoding: bytes)
        let parameters = meta.parameters
        switch meta.subeventCode {
        case .advertisingReport:
            return receiveReports(try HCI.LEAdvertisingReport(decoding: parameters))
        case .extendedAdvertisingReport:
            return receiveReports(try HCI.LEExtendedAdvertisingReport(decoding: parameters))
        case .connectionComplete:
            let event = try HCI.LEConnectionComplete(decoding: parameters)
            connectionComplete(
                event.status, handle: event.connectionHandle, role: event.role, reported: event.peerAddress,
                ConnectionParameters(
                    interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout), at: now)
        case .enhancedConnectionComplete:
            let event = try HCI.LEEnhancedConnectionComplete(decoding: parameters)
            connectionComplete(
                event.status, handle: event.connectionHandle, role: event.role, reported: event.peerAddress,
                localPrivateAddress: event.localResolvablePrivateAddress,
                peerPrivateAddress: event.peerResolvablePrivateAddress,
                ConnectionParameters(
                    interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout), at: now)
        case .connectionUpdateComplete:
            updateComplete(try HCI.LEConnectionUpdateComplete(decoding: parameters), at: now)
        case .readRemoteFeaturesComplete:
            let event = try HCI.LEReadRemoteFeaturesComplete(decoding: parameters)
            if let connection = connection(handle: event.connectionHandle) {
                if event.status == .success { confirm(connection) }
                connection.setUp.completed(remoteFeatures: event.status == .success ? event.features : nil)
                continueSetUp(of: connection)
            }
        case .longTermKeyRequest:
            longTermKeyRequested(try HCI.LELongTermKeyRequest(decoding: parameters), at: now)
        case .remoteConnectionParameterRequest:
            parameterRequest(try HCI.LERemoteConnectionParameterRequest(decoding: parameters))
        case .dataLengthChange:
            let event = try HCI.LEDataLengthChange(decoding: parameters)
            if let connection = connection(handle: event.connectionHandle) {
                connection.dataLength = event.maximumTxOctets
                if !connection.isSilent {
                    events.append(
                        .dataLengthChanged(
                            connection.identifier, transmit: event.maximumTxOctets, receive: event.maximumRxOctets))
                }
            }
        case .phyUpdateComplete:
            phyUpdateComplete(try HCI.LEPHYUpdateComplete(decoding: parameters))
        default: break
        }
        return .anything
    }

    private mutating func phyUpdateComplete(_ event: HCI.LEPHYUpdateComplete) {
        guard let connection = connection(handle: event.connectionHandle), event.status == .success else { return }
        connection.transmitPHY = event.txPHY.rawValue
        connection.receivePHY = event.rxPHY.rawValue
        if connection.isSilent { return }
        events.append(
            .phyChanged(connection.identifier, transmit: event.txPHY.rawValue, receive: event.rxPHY.rawValue))
    }

    /// Emits each report of an event and stores its data in the arena. Some controllers use the extended form although
    /// the legacy commands started the scan.
    private mutating func receiveReports<Event: HCI.AdvertisingReportEvent & ~Escapable>(
        _ event: consuming Event
    ) -> Aftermath {
        guard scanner.requested != nil || scanner.background != nil else { return .nothing }
        while let report = event.nextLegacyReport() {
            guard let kind = AdvertisingReport.Kind(rawValue: report.eventType.rawValue),
                let address = identify(advertiser: report.address), scanner.requested != nil
            else { continue }
            events.append(
                .advertisingReport(
                    AdvertisingReport(
                        kind: kind, address: address, rssi: report.rssi,
                        data: attributeOutput.arena.store(report.data))))
        }
        return isPrivacyDue ? .anything : .nothing
    }
}
