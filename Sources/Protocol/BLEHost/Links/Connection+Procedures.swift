import BLEAttribute
import BLELink
import BLEWire

/// The controller's procedures on a link.
extension Connection {
    /// Sends the next command of the link's set-up.
    func continueSetUp(_ output: inout HostOutput) {
        guard !isEnding, let action = setUp.next() else { return }
        switch action {
        case .readRemoteFeatures:
            output.commands.enqueue(
                HCI.LEReadRemoteFeatures(connectionHandle: handle), for: .link(identifier, .readRemoteFeatures))
        case .setDataLength(let octets, let time):
            output.commands.enqueue(
                HCI.LESetDataLength(connectionHandle: handle, txOctets: octets, txTime: time),
                for: .link(identifier, .setDataLength))
        case .readPHY:
            output.commands.enqueue(HCI.LEReadPHY(connectionHandle: handle), for: .link(identifier, .readPHY))
        case .setPHY:
            output.commands.enqueue(
                HCI.LESetPHY(connectionHandle: handle, txPHYs: .le2M, rxPHYs: .le2M),
                for: .link(identifier, .setPHY))
        }
    }

    /// Takes LE Read Remote Features Complete (Vol 4, Part E, 7.7.65.4).
    func featuresRead(_ event: HCI.LEReadRemoteFeaturesComplete, _ output: inout HostOutput) {
        setUp.completed(remoteFeatures: event.status == .success ? event.features : nil)
        continueSetUp(&output)
    }

    /// The command of a step of the set-up has ended.
    func setUpCompleted(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode, _ output: inout HostOutput) {
        if status != .success, status != .unknownHCICommand {
            output.events.append(.controllerError(opcode, status))
        }
        setUp.completed()
        continueSetUp(&output)
    }

    /// The feature exchange could not start.
    func featuresUnavailable(_ output: inout HostOutput) {
        setUp.completed()
        continueSetUp(&output)
    }

    /// Takes LE Data Length Change (Vol 4, Part E, 7.7.65.7).
    func dataLengthChanged(_ event: HCI.LEDataLengthChange, _ output: inout HostOutput) {
        linkLayer.dataLength = event.maximumTxOctets
        if isSilent { return }
        output.events.append(
            .dataLengthChanged(identifier, transmit: event.maximumTxOctets, receive: event.maximumRxOctets))
    }

    /// Takes the PHYs with which the link began (Vol 4, Part E, 7.8.47).
    func phyRead(_ status: HCI.ErrorCode, _ parameters: Span<UInt8>, _ output: inout HostOutput) {
        let phys = try? HCI.LEReadPHY.ReturnParameters(decoding: parameters)
        if status == .success, let phys {
            linkLayer.transmitPHY = phys.txPHY.rawValue
            linkLayer.receivePHY = phys.rxPHY.rawValue
            setUp.completed(isCoded: phys.txPHY == .leCoded || phys.rxPHY == .leCoded)
        } else {
            setUp.completed()
        }
        continueSetUp(&output)
    }

    /// Takes the PHY on which a link as peripheral began.
    func begins(on phy: HCI.PHY) {
        linkLayer.transmitPHY = phy.rawValue
        linkLayer.receivePHY = phy.rawValue
    }

    /// Takes LE PHY Update Complete (Vol 4, Part E, 7.7.65.12).
    func phyChanged(_ event: HCI.LEPHYUpdateComplete, _ output: inout HostOutput) {
        guard event.status == .success else { return }
        linkLayer.transmitPHY = event.txPHY.rawValue
        linkLayer.receivePHY = event.rxPHY.rawValue
        if isSilent { return }
        output.events.append(
            .phyChanged(identifier, transmit: event.txPHY.rawValue, receive: event.rxPHY.rawValue))
    }

    /// Ends the operation that reads the RSSI.
    func rssiRead(
        _ id: UInt32, _ status: HCI.ErrorCode, _ parameters: Span<UInt8>, at now: Instant, _ output: inout HostOutput
    ) {
        let answer = try? HCI.ReadRSSI.ReturnParameters(decoding: parameters)
        let result: Result<GATTResult, GATTError> =
            if status == .success, let answer {
                .success(.rssi(answer.rssi))
            } else {
                .failure(.attribute(ATT.ErrorCode.unlikelyError.rawValue))
            }
        bearer.finishOperation(id, result, at: now, output: &output.events.attributes)
        output.flush(self)
    }

    // MARK: Credit-based channels

    /// Takes a signalling packet of credit-based channels. Returns false for any other packet.
    func receiveChannelSignal(
        _ payload: Span<UInt8>, listeners: [CreditBasedListener], at now: Instant, _ output: inout HostOutput
    ) -> Bool {
        let services = enhanced.listener.map { listeners + [$0] } ?? listeners
        switch channels.receive(signal: payload, listeners: services, security: security, at: now) {
        case .notOurs: return false
        case .handled:
            noteChannels(&output)
            return true
        case .fault:
            noteChannels(&output)
            output.events.report(.signalling, on: self)
            return true
        }
    }

    /// Emits the events of the link's channels.
    func flushChannels(_ output: inout HostOutput) {
        deadlines[.channels] = channels.deadline
        guard !channels.events.isEmpty else { return }
        if !isSilent {
            let shift = output.events.attributes.arena.octets.count
            output.events.attributes.arena.octets.append(contentsOf: channels.bytes)
            for index in channels.events.indices {
                let event = channels.events[index]
                if enhanced.owns(event) {
                    // The bearer has ended, and its channel now.
                    if case .closed(let number, _) = event { enhanced.closed(number) }
                    continue
                }
                if case .closed(_, .violation(let violation)) = event {
                    output.events.report(.channel(violation), on: self)
                }
                output.events.append(.channel(identifier, event.shifted(by: shift)))
            }
        }
        channels.removeEvents()
    }
}

extension CreditBasedEvent {
    fileprivate func shifted(by shift: Int) -> CreditBasedEvent {
        guard case .received(let number, let range) = self else { return self }
        return .received(number, range.lowerBound + shift..<range.upperBound + shift)
    }
}
