import BLEWire

/// LE Meta events (Vol 4, Part E, 7.7.65).
extension CaptureStory {
    mutating func takeLEEvent(
        _ code: HCI.LESubeventCode, _ parameters: Span<UInt8>, _ controller: UInt16, at moment: Moment
    ) {
        switch code {
        case .connectionComplete:
            guard let event = try? HCI.LEConnectionComplete(decoding: parameters) else { return noteUndecodable() }
            connected(
                event.status, controller, event.connectionHandle, event.role, event.peerAddress,
                LinkParameters(
                    interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout), at: moment)
        // The second version has handles of trains at its end.
        case .enhancedConnectionComplete, .enhancedConnectionCompleteV2:
            let octets = parameters.extracting(first: HCI.LEEnhancedConnectionComplete.octetCount)
            guard let event = try? HCI.LEEnhancedConnectionComplete(decoding: octets) else { return noteUndecodable() }
            connected(
                event.status, controller, event.connectionHandle, event.role, event.peerAddress,
                LinkParameters(
                    interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout), at: moment)
        case .advertisingReport:
            guard var event = try? HCI.LEAdvertisingReport(decoding: parameters) else { return noteUndecodable() }
            while let report = event.next() {
                let isConnectable =
                    report.eventType == .connectableUndirected || report.eventType == .connectableDirected
                takeAdvertising(
                    report.address, report.data, signal: report.rssi, isConnectable: isConnectable, at: moment)
            }
        case .extendedAdvertisingReport:
            guard var event = try? HCI.LEExtendedAdvertisingReport(decoding: parameters) else {
                return noteUndecodable()
            }
            while let report = event.next() {
                guard report.address.kind != .anonymous else { continue }
                takeAdvertising(
                    report.address, report.data, signal: report.rssi,
                    isConnectable: report.eventType.contains(.connectable), at: moment)
            }
        default: takeLinkEvent(code, parameters, controller, at: moment)
        }
    }

    private mutating func connected(
        _ status: HCI.ErrorCode, _ controller: UInt16, _ handle: UInt16, _ role: HCI.Role, _ peer: DeviceAddress,
        _ parameters: LinkParameters, at moment: Moment
    ) {
        guard status == .success else {
            if let finding = LinkStory.finding(of: status) { findings.add(finding, at: moment) }
            return
        }
        let local: LinkSide = role == .peripheral ? .peripheral : .central
        var addresses: [DeviceAddress?] = [nil, nil]
        addresses[local.other.rawValue] = peer.asDevice
        _ = begin(
            .host(controller: controller, handle: handle), isWhole: true, local: local, isRoleKnown: true,
            parameters: parameters, addresses: addresses, at: moment)
    }

    /// An event of a link, which may be older than the capture: BR/EDR has no such events.
    private mutating func takeLinkEvent(
        _ code: HCI.LESubeventCode, _ parameters: Span<UInt8>, _ controller: UInt16, at moment: Moment
    ) {
        switch code {
        case .connectionUpdateComplete:
            guard let event = try? HCI.LEConnectionUpdateComplete(decoding: parameters) else {
                return noteUndecodable()
            }
            changeOrBegin(controller, event.connectionHandle, at: moment) { link in
                guard event.status == .success else { return link.updateRefused(event.status, at: moment) }
                link.updated(
                    LinkParameters(
                        interval: event.interval, latency: event.latency, timeout: event.supervisionTimeout),
                    at: moment)
            }
        case .remoteConnectionParameterRequest:
            guard let event = try? HCI.LERemoteConnectionParameterRequest(decoding: parameters) else {
                return noteUndecodable()
            }
            changeOrBegin(controller, event.connectionHandle, at: moment) { link in
                link.request(
                    RequestedParameters(
                        minimum: event.intervalMinimum, maximum: event.intervalMaximum,
                        latency: event.maximumLatency, timeout: event.supervisionTimeout),
                    by: (link.local ?? .central).other, at: moment)
            }
        case .dataLengthChange:
            guard let event = try? HCI.LEDataLengthChange(decoding: parameters) else { return noteUndecodable() }
            changeOrBegin(controller, event.connectionHandle, at: moment) { link in
                let isCentral = link.local != .peripheral
                link.changeDataLength(
                    central: isCentral ? event.maximumTxOctets : event.maximumRxOctets,
                    peripheral: isCentral ? event.maximumRxOctets : event.maximumTxOctets, at: moment)
            }
        case .phyUpdateComplete:
            guard let event = try? HCI.LEPHYUpdateComplete(decoding: parameters) else { return noteUndecodable() }
            guard event.status == .success else { return }
            changeOrBegin(controller, event.connectionHandle, at: moment) { link in
                let isCentral = link.local != .peripheral
                let (tx, rx) = (event.txPHY.rawValue, event.rxPHY.rawValue)
                link.output.add(
                    .phy(central: isCentral ? tx : rx, peripheral: isCentral ? rx : tx), at: moment)
            }
        default: break
        }
    }

    private mutating func changeOrBegin(
        _ controller: UInt16, _ handle: UInt16, at moment: Moment, _ change: (inout LinkStory) -> Void
    ) {
        let key = LinkStory.Key.host(controller: controller, handle: handle)
        let older = open[key] ?? begin(key, isWhole: false, local: .central, isRoleKnown: false, at: moment)
        guard let index = older else { return }
        links[index].advance(to: moment)
        change(&links[index])
    }
}
