import BLETransport
import BLEWire

/// The packets on the air (Vol 6, Part B).
extension CaptureStory {
    mutating func takeAir(_ air: CapturedPacket.Air, at moment: Moment) {
        guard air.octets.count >= LL.DataHeader.encodedCount else { return noteUndecodable() }
        if air.accessAddress == LL.advertisingAccessAddress {
            takeAdvertisingChannel(air, at: moment)
        } else if let index = open[.air(accessAddress: air.accessAddress)] {
            takeLink(index, air, at: moment)
        } else if !isOfEndedLink(air, at: moment), let index = beginOlder(air, at: moment) {
            takeLink(index, air, at: moment)
        }
    }

    // MARK: Advertising

    private mutating func takeAdvertisingChannel(_ air: CapturedPacket.Air, at moment: Moment) {
        guard let pdu = try? LL.AdvertisingPDU(decoding: air.octets.span) else { return noteUndecodable() }
        // Without the channel, the three packets of one event look like three events.
        let isEvent = air.channel == 37
        switch pdu {
        case .advInd(let header, let payload):
            takeAdvertising(
                header.transmitter(payload.advertiser), payload.data, signal: air.signal, isConnectable: true,
                isEvent: isEvent, at: moment)
        case .advNonconnInd(let header, let payload):
            takeAdvertising(
                header.transmitter(payload.advertiser), payload.data, signal: air.signal, isConnectable: false,
                isEvent: isEvent, at: moment)
        case .advScanInd(let header, let payload):
            takeAdvertising(
                header.transmitter(payload.advertiser), payload.data, signal: air.signal, isConnectable: false,
                isEvent: isEvent, at: moment)
        case .advDirectInd(let header, let payload):
            takeAdvertising(
                header.transmitter(payload.advertiser), [UInt8]().span, signal: air.signal, isConnectable: true,
                at: moment)
        case .scanRsp(let header, let payload):
            takeAdvertising(
                header.transmitter(payload.advertiser), payload.data, signal: air.signal, isConnectable: false,
                at: moment)
        case .extended(let header, let payload):
            guard let advertiser = payload.advertiser else { return }
            takeAdvertising(
                header.transmitter(advertiser), payload.data, signal: air.signal,
                isConnectable: payload.mode == .connectable, at: moment)
        case .connectInd(let header, let request): connect(header, request, at: moment)
        case .scanReq, .auxConnectRsp, .unknown: break
        }
    }

    private mutating func connect(_ header: LL.AdvertisingHeader, _ request: LL.ConnectInd, at moment: Moment) {
        _ = begin(
            .air(accessAddress: request.accessAddress), isWhole: true, local: nil, isRoleKnown: true,
            parameters: LinkParameters(
                interval: request.interval, latency: request.latency, timeout: request.timeout),
            addresses: [header.transmitter(request.initiator), header.receiver(request.advertiser)], at: moment)
    }

    // MARK: Links

    /// Whether a packet acknowledges or repeats the PDU that ended its link: no link has a longer timeout than 32 s (Vol 6, Part B, 4.5.2).
    private func isOfEndedLink(_ air: CapturedPacket.Air, at moment: Moment) -> Bool {
        senders.wait(before: air, at: moment.time).map { $0 < 32_000_000_000 } ?? false
    }

    /// A link whose start is not in the capture. Trains of periodic advertising have access addresses as well.
    private mutating func beginOlder(_ air: CapturedPacket.Air, at moment: Moment) -> Int? {
        let payload = air.octets.dropFirst(LL.DataHeader.encodedCount)
        let place = payload.startIndex
        let isData =
            air.direction != .unspecified
            || air.octets[0] & 3 == LL.DataHeader.Kind.start.rawValue && payload.count >= L2CAP.headerCount
                && payload[place + 3] == 0 && (4...6).contains(payload[place + 2])
                && payload.count - L2CAP.headerCount == Int(payload[place]) | Int(payload[place + 1]) << 8
        guard isData else { return nil }
        return begin(
            .air(accessAddress: air.accessAddress), isWhole: false, local: nil,
            isRoleKnown: air.direction != .unspecified, at: moment)
    }

    private mutating func takeLink(_ index: Int, _ air: CapturedPacket.Air, at moment: Moment) {
        let side = senders.side(of: air, at: moment.time)
        links[index].advance(to: moment)
        links[index].streams[side.rawValue].isHeard = true
        let payload = air.octets.dropFirst(LL.DataHeader.encodedCount)
        guard links[index].isNew(air.octets, from: side) else { return }
        // What encrypts a payload adds its MIC to it.
        if links[index].encryption.isOnAir, !air.isDecrypted, payload.count > LL.micLength {
            links[index].encryption.hiddenPackets += 1
            return
        }
        switch LL.DataHeader.Kind(rawValue: air.octets[0] & 3) {
        case .start: links[index].takeData(payload, isStart: true, from: side, at: moment)
        case .continuation: links[index].takeData(payload, isStart: false, from: side, at: moment)
        case .control:
            let end = links[index].takeControl(payload, isDecrypted: air.isDecrypted, from: side, at: moment)
            if let end { self.end(index, .side(side), reason: end, at: moment) }
        default: break
        }
    }

    // MARK: The end

    /// Ends a link on the air that has no more packets, although the capture goes on.
    mutating func endInSilence(_ index: Int, _ last: Moment) -> Bool {
        let link = links[index]
        guard case .air = link.key, let parameters = link.parameters.connection,
            last.since(link.last) > parameters.timeoutSpan
        else { return false }
        // Until the first packet of the peripheral, six intervals are the limit (Vol 6, Part B, 4.5.2).
        let isEstablished = link.streams[LinkSide.peripheral.rawValue].isHeard
        end(index, .silence, reason: nil, at: link.last)
        // A packet without plaintext may be the LL_TERMINATE_IND.
        guard link.encryption.hiddenPackets == 0 else { return true }
        links[index].output.findings.add(isEstablished ? .fellSilent : .notEstablished, at: link.last)
        return true
    }
}
