import BLETransport
import BLEWire

/// The packets between hosts and their controllers (Vol 4, Part E).
extension CaptureStory {
    mutating func takeHost(_ host: CapturedPacket.Host, at moment: Moment) {
        guard let type = host.octets.first else { return }
        let octets = host.octets.dropFirst()
        switch H4.PacketType(rawValue: type) {
        case .command: takeCommand(Array(octets), host.controller, at: moment)
        case .event: takeEvent(Array(octets), host.controller, at: moment)
        case .acl: takeData(octets, isSent: host.isSent, host.controller, at: moment)
        default: break
        }
    }

    // MARK: Data

    private mutating func takeData(
        _ octets: ArraySlice<UInt8>, isSent: Bool?, _ controller: UInt16, at moment: Moment
    ) {
        let header = Array(octets.prefix(HCI.ACLHeader.encodedLength))
        guard let header = try? HCI.ACLHeader(decoding: header.span) else {
            return noteUndecodable()
        }
        let payload = octets.dropFirst(HCI.ACLHeader.encodedLength).prefix(Int(header.dataLength))
        let key = LinkStory.Key.host(controller: controller, handle: header.connectionHandle)
        guard let index = open[key] ?? beginOlder(key, header, payload, at: moment) else { return }
        let local = links[index].local ?? .central
        let isFrameIncomplete = !links[index].streams[local.rawValue].frame.isEmpty
        let side = isSent ?? header.isFromHost(isFrameIncomplete: isFrameIncomplete) ? local : local.other
        links[index].advance(to: moment)
        links[index].streams[side.rawValue].packets += 1
        links[index].streams[side.rawValue].octets += Int(header.dataLength)
        links[index].takeData(
            payload, count: Int(header.dataLength), isStart: header.boundary.isFirst, from: side, at: moment)
    }

    /// A link whose start is not in the capture.
    private mutating func beginOlder(
        _ key: LinkStory.Key, _ header: HCI.ACLHeader, _ payload: ArraySlice<UInt8>, at moment: Moment
    ) -> Int? {
        guard header.isOfOlderLink(payload) else { return nil }
        return begin(key, isWhole: false, local: .central, isRoleKnown: false, at: moment)
    }

    // MARK: Commands

    private mutating func takeCommand(_ octets: [UInt8], _ controller: UInt16, at moment: Moment) {
        guard let command = try? HCI.CommandPacket(decoding: octets.span) else { return noteUndecodable() }
        let parameters = command.parameters
        switch command.opcode {
        case .reset:
            for (key, index) in open.sorted(by: { $0.value < $1.value }) {
                guard case .host(controller, _) = key else { continue }
                end(index, .reset, reason: nil, at: moment)
            }
        case .disconnect:
            guard let command = try? HCI.Disconnect(decoding: parameters) else { return noteUndecodable() }
            change(controller, command.connectionHandle, at: moment) { $0.requestedEnd = command.reason }
        case .leConnectionUpdate:
            guard let command = try? HCI.LEConnectionUpdate(decoding: parameters) else { return noteUndecodable() }
            change(controller, command.connectionHandle, at: moment) { link in
                // The host may do what its peer asked for.
                if link.parameters.pendingUpdate == nil, let local = link.local {
                    link.parameters.pendingUpdate = (local, nil)
                }
            }
        case .leRemoteConnectionParameterRequestNegativeReply:
            guard
                let command = try? HCI.LERemoteConnectionParameterRequestNegativeReply(decoding: parameters)
            else { return noteUndecodable() }
            change(controller, command.connectionHandle, at: moment) { $0.updateRefused(command.reason, at: moment) }
        case .leLongTermKeyRequestNegativeReply:
            guard let command = try? HCI.LELongTermKeyRequestNegativeReply(decoding: parameters) else {
                return noteUndecodable()
            }
            change(controller, command.connectionHandle, at: moment) {
                $0.encryptionFailed(.pinOrKeyMissing, at: moment)
            }
        case .leSetAdvertisingParameters:
            guard let command = try? HCI.LESetAdvertisingParameters(decoding: parameters) else {
                return noteUndecodable()
            }
            // Directed advertising of the high duty cycle has no interval.
            if command.advertisingType != .connectableDirectedHighDutyCycle {
                checkAdvertising(UInt32(command.intervalMinimum), at: moment)
            }
        case .leSetExtendedAdvertisingParameters:
            guard let command = try? HCI.LESetExtendedAdvertisingParameters(decoding: parameters) else {
                return noteUndecodable()
            }
            checkAdvertising(command.intervalMinimum, at: moment)
        default: break
        }
    }

    /// - Parameter interval: In units of 0.625 ms.
    private mutating func checkAdvertising(_ interval: UInt32, at moment: Moment) {
        guard interval < 0x20 else { return }
        findings.add(.advertisingTooFast(nil, interval: Int(interval) * 625), at: moment)
    }

    /// Changes the open link with a handle, if the story has it.
    private mutating func change(
        _ controller: UInt16, _ handle: UInt16, at moment: Moment, _ change: (inout LinkStory) -> Void
    ) {
        guard let index = open[.host(controller: controller, handle: handle)] else { return }
        links[index].advance(to: moment)
        change(&links[index])
    }

    // MARK: Events

    private mutating func takeEvent(_ octets: [UInt8], _ controller: UInt16, at moment: Moment) {
        guard let event = try? HCI.EventPacket(decoding: octets.span) else { return noteUndecodable() }
        let parameters = event.parameters
        switch event.code {
        case .disconnectionComplete:
            guard let event = try? HCI.DisconnectionComplete(decoding: parameters) else { return noteUndecodable() }
            disconnected(event, controller, at: moment)
        // The second version has the size of the key at its end.
        case .encryptionChange, .encryptionChangeV2:
            guard let event = try? HCI.EncryptionChange(decoding: parameters.extracting(first: 4)) else {
                return noteUndecodable()
            }
            change(controller, event.connectionHandle, at: moment) { link in
                if event.status != .success {
                    link.encryptionFailed(event.status, at: moment)
                } else if event.encryptionEnabled == 0 {
                    link.encryptionEnded(at: moment)
                } else {
                    link.encrypted(at: moment)
                }
            }
        case .encryptionKeyRefreshComplete:
            guard let event = try? HCI.EncryptionKeyRefreshComplete(decoding: parameters) else {
                return noteUndecodable()
            }
            change(controller, event.connectionHandle, at: moment) { link in
                if event.status == .success {
                    link.keyRefreshed(at: moment)
                } else {
                    link.encryptionFailed(event.status, at: moment)
                }
            }
        case .readRemoteVersionInformationComplete:
            guard let event = try? HCI.ReadRemoteVersionInformationComplete(decoding: parameters) else {
                return noteUndecodable()
            }
            guard event.status == .success else { return }
            change(controller, event.connectionHandle, at: moment) { link in
                guard let local = link.local else { return }
                link.output.add(.version(local.other, event.version, company: event.companyIdentifier), at: moment)
            }
        case .leMeta:
            guard !parameters.isEmpty else { return noteUndecodable() }
            takeLEEvent(
                HCI.LESubeventCode(rawValue: parameters[0]), parameters.extracting(droppingFirst: 1), controller,
                at: moment)
        default: break
        }
    }

    private mutating func disconnected(_ event: HCI.DisconnectionComplete, _ controller: UInt16, at moment: Moment) {
        let key = LinkStory.Key.host(controller: controller, handle: event.connectionHandle)
        guard event.status == .success, let index = open[key] else { return }
        links[index].advance(to: moment)
        let local = links[index].local ?? .central
        let cause: LinkEnding.Cause =
            switch event.reason {
            case .connectionTerminatedByLocalHost: .side(local)
            case .remoteUserTerminatedConnection, .remoteDeviceTerminatedConnectionDueToLowResources,
                .remoteDeviceTerminatedConnectionDueToPowerOff:
                .side(local.other)
            case .connectionTimeout, .llResponseTimeout, .instantPassed, .connectionTerminatedDueToMICFailure,
                .connectionFailedToBeEstablished, .hardwareFailure:
                .lost
            default: .side(links[index].requestedEnd == nil ? local.other : local)
            }
        end(index, cause, reason: event.reason, at: moment)
    }
}
