import BLEWire

/// The data PDUs and control PDUs of a link on the air (Vol 6, Part B, 2.4).
extension LinkStory {
    /// Whether a PDU has content and is no repetition of the one before from the same side (Vol 6, Part B, 4.5.9). Counts those with content.
    mutating func isNew(_ pdu: [UInt8], from side: LinkSide) -> Bool {
        let index = side.rawValue
        let last = streams[index].last
        streams[index].last = pdu
        guard pdu.count > LL.DataHeader.encodedCount else { return false }
        if AirFrame.isRepetition(pdu, of: last) {
            streams[index].retransmissions += 1
            return false
        }
        streams[index].packets += 1
        streams[index].octets += pdu.count - LL.DataHeader.encodedCount
        return true
    }

    /// Takes the payload of a control PDU.
    ///
    /// - Returns: The reason of LL_TERMINATE_IND.
    mutating func takeControl(
        _ payload: ArraySlice<UInt8>, isDecrypted: Bool, from side: LinkSide, at moment: Moment
    ) -> HCI.ErrorCode? {
        let hasMIC = isDecrypted && AirFrame.hasMIC(control: payload)
        let octets = Array(hasMIC ? payload.dropLast(LL.micLength) : payload)
        guard let pdu = try? LL.ControlPDU(decoding: octets.span) else { return nil }
        switch pdu {
        case .terminateInd(let end): return HCI.ErrorCode(rawValue: end.reason)
        case .connectionUpdateInd(let update):
            updated(
                LinkParameters(interval: update.interval, latency: update.latency, timeout: update.timeout),
                at: moment)
        case .connectionParamReq(let request):
            self.request(
                RequestedParameters(
                    minimum: request.intervalMin, maximum: request.intervalMax, latency: request.latency,
                    timeout: request.timeout), by: side, at: moment)
        case .lengthReq(let request): parameters.offeredLength = request
        case .lengthRsp(let answer): lengthChanged(answer, from: side, at: moment)
        case .phyUpdateInd(let update):
            output.add(
                .phy(central: Self.phy(update.centralToPeripheral), peripheral: Self.phy(update.peripheralToCentral)),
                at: moment)
        case .versionInd(let version):
            output.add(
                .version(side, HCI.CoreVersion(rawValue: version.version), company: version.company), at: moment)
        case .rejectExtInd(let answer):
            refused(answer.rejectOpcode, HCI.ErrorCode(rawValue: answer.errorCode), at: moment)
        // It answers LL_ENC_REQ, and other requests of devices without extended rejects (Vol 6, Part B, 2.4.2.14).
        case .rejectInd(let answer):
            refused(
                encryption.isRequested ? .encReq : .connectionParamReq, HCI.ErrorCode(rawValue: answer.errorCode),
                at: moment)
        case .encReq: encryption.isRequested = true
        case .startEncReq:
            (encryption.isRequested, encryption.isOnAir) = (false, true)
            encrypted(at: moment)
        case .pauseEncRsp:
            if side == .central, encryption.isOnAir {
                encryption.isOnAir = false
                encryptionEnded(at: moment)
            }
        default: break
        }
        return nil
    }

    /// Both sides use the smaller one of what the sender and the receiver can (Vol 6, Part B, 4.5.10).
    private mutating func lengthChanged(_ answer: LL.LengthRsp, from side: LinkSide, at moment: Moment) {
        guard let offer = parameters.offeredLength else { return }
        parameters.offeredLength = nil
        let fromAnswering = min(answer.maxTxOctets, offer.maxRxOctets)
        let fromAsking = min(offer.maxTxOctets, answer.maxRxOctets)
        changeDataLength(
            central: side == .central ? fromAnswering : fromAsking,
            peripheral: side == .central ? fromAsking : fromAnswering, at: moment)
    }

    private mutating func refused(_ opcode: LL.ControlOpcode, _ code: HCI.ErrorCode, at moment: Moment) {
        switch opcode {
        case .connectionParamReq:
            if parameters.pendingUpdate != nil { updateRefused(code, at: moment) }
        case .encReq, .startEncReq:
            encryption.isRequested = false
            encryptionFailed(code, at: moment)
        default: break
        }
    }

    /// One PHY of a set as HCI numbers it; 0 for no change.
    private static func phy(_ set: LL.PHYSet) -> UInt8 {
        if set.contains(.oneM) { return 1 }
        if set.contains(.twoM) { return 2 }
        return set.contains(.coded) ? 3 : 0
    }
}
