import BLETransport
import BLEWire

/// Every PDU, advertising data, the framing of H4, and the frames of captures. What decodes has to encode, and to decode again to
/// the same octets.
enum ParserTarget {
    static func run(_ input: inout Input) {
        let kind = input.octet()
        let first = input.octet()
        let octets = input.rest()
        switch kind % 8 {
        case 0: checkHCI(first, octets.span)
        case 1: checkEvent(first, octets.span)
        case 2: checkATT(octets.span)
        case 3: checkL2CAP(first, octets.span)
        case 4: checkAir(first, octets.span)
        case 5: checkAdvertising(octets.span)
        case 6: checkFraming(first, octets)
        default: checkCapture(first, octets.span)
        }
    }

    private static func check<P: PDU & ~Escapable>(_ type: P.Type, _ octets: Span<UInt8>) {
        guard let pdu = try? P(decoding: octets) else { return }
        var once: [UInt8] = []
        guard (try? once.append(encoding: pdu)) != nil else { fatalError("\(P.self) decodes and does not encode") }
        require(once.count == pdu.encodedCount, "\(P.self) encodes another number of octets than it says")
        guard let again = try? P(decoding: once.span) else { fatalError("\(P.self) does not decode what it encoded") }
        var twice: [UInt8] = []
        guard (try? twice.append(encoding: again)) != nil else { fatalError("\(P.self) encodes only once") }
        require(once == twice, "\(P.self) has two encodings")
    }

    private static func checkHCI(_ which: UInt8, _ octets: Span<UInt8>) {
        switch which % 24 {
        case 0: check(H4.Packet.self, octets)
        case 1: check(HCI.CommandPacket.self, octets)
        case 2: check(HCI.EventPacket.self, octets)
        case 3: check(HCI.ACLPacket.self, octets)
        case 4: check(HCI.LESetAdvertisingParameters.self, octets)
        case 5: check(HCI.LESetAdvertisingData.self, octets)
        case 6: check(HCI.LESetScanResponseData.self, octets)
        case 7: check(HCI.LESetScanParameters.self, octets)
        case 8: check(HCI.LECreateConnection.self, octets)
        case 9: check(HCI.LEConnectionUpdate.self, octets)
        case 10: check(HCI.LERemoteConnectionParameterRequestReply.self, octets)
        case 11: check(HCI.HostBufferSize.self, octets)
        case 12: check(HCI.LESetDataLength.self, octets)
        case 13: check(HCI.LESetPHY.self, octets)
        case 14: check(HCI.LEEncrypt.self, octets)
        case 15: check(HCI.LELongTermKeyRequestReply.self, octets)
        case 16: check(HCI.LEAddDeviceToFilterAcceptList.self, octets)
        case 17: check(HCI.LESetHostChannelClassification.self, octets)
        case 18: check(HCI.ReadLocalSupportedCommands.ReturnParameters.self, octets)
        case 19: check(HCI.LEReadBufferSize.ReturnParameters.self, octets)
        case 20: check(HCI.LEReadMaximumDataLength.ReturnParameters.self, octets)
        case 21: check(HCI.ReadLocalVersionInformation.ReturnParameters.self, octets)
        case 22: check(HCI.ReadRSSI.ReturnParameters.self, octets)
        default: check(HCI.Disconnect.self, octets)
        }
    }

    private static func checkEvent(_ which: UInt8, _ octets: Span<UInt8>) {
        switch which % 20 {
        case 0: check(HCI.CommandComplete.self, octets)
        case 1: check(HCI.CommandStatus.self, octets)
        case 2: check(HCI.LEMetaEvent.self, octets)
        case 3: check(HCI.LEAdvertisingReport.self, octets)
        case 4: check(HCI.LEExtendedAdvertisingReport.self, octets)
        case 5: check(HCI.LEConnectionComplete.self, octets)
        case 6: check(HCI.LEEnhancedConnectionComplete.self, octets)
        case 7: check(HCI.LEConnectionUpdateComplete.self, octets)
        case 8: check(HCI.LEReadRemoteFeaturesComplete.self, octets)
        case 9: check(HCI.LERemoteConnectionParameterRequest.self, octets)
        case 10: check(HCI.LEDataLengthChange.self, octets)
        case 11: check(HCI.LEPHYUpdateComplete.self, octets)
        case 12: check(HCI.NumberOfCompletedPackets.self, octets)
        case 13: check(HCI.DisconnectionComplete.self, octets)
        case 14: check(HCI.EncryptionChange.self, octets)
        case 15: check(HCI.HardwareError.self, octets)
        case 16: check(HCI.LEDirectedAdvertisingReport.self, octets)
        case 17:
            // The reports are walked over, whatever the counts say.
            guard var event = try? HCI.LEAdvertisingReport(decoding: octets) else { return }
            var reports = 0
            while let report = event.next() { reports += 1 + report.data.count & 0 }
            require(reports <= octets.count, "more reports than octets")
        case 18:
            guard var event = try? HCI.LEExtendedAdvertisingReport(decoding: octets) else { return }
            var reports = 0
            while let report = event.next() { reports += 1 + report.data.count & 0 }
            require(reports <= octets.count, "more reports than octets")
        default:
            guard var event = try? HCI.NumberOfCompletedPackets(decoding: octets) else { return }
            var entries = 0
            while event.entries.next() != nil { entries += 1 }
            require(entries <= octets.count, "more entries than octets")
        }
    }

    private static func checkATT(_ octets: Span<UInt8>) {
        guard !octets.isEmpty else { return }
        let body = octets.extracting(droppingFirst: 1)
        switch octets[0] & 0x3F {
        case 0x01: check(ATT.ErrorResponse.self, body)
        case 0x02: check(ATT.ExchangeMTURequest.self, body)
        case 0x04: check(ATT.FindInformationRequest.self, body)
        case 0x05: check(ATT.FindInformationResponse.self, body)
        case 0x06: check(ATT.FindByTypeValueRequest.self, body)
        case 0x07: check(ATT.FindByTypeValueResponse.self, body)
        case 0x08: check(ATT.ReadByTypeRequest.self, body)
        case 0x09: check(ATT.ReadByTypeResponse.self, body)
        case 0x0C: check(ATT.ReadBlobRequest.self, body)
        case 0x0E: check(ATT.ReadMultipleRequest.self, body)
        case 0x10: check(ATT.ReadByGroupTypeRequest.self, body)
        case 0x11: check(ATT.ReadByGroupTypeResponse.self, body)
        case 0x12: check(ATT.WriteRequest.self, body)
        case 0x16: check(ATT.PrepareWriteRequest.self, body)
        case 0x18: check(ATT.ExecuteWriteRequest.self, body)
        case 0x1B: check(ATT.HandleValueNotification.self, body)
        case 0x23: check(ATT.MultipleHandleValueNotification.self, body)
        default: break
        }
        _ = try? ATT.Packet(decoding: octets)
    }

    private static func checkL2CAP(_ which: UInt8, _ octets: Span<UInt8>) {
        switch which % 10 {
        case 0: check(L2CAP.Frame.self, octets)
        case 1: check(L2CAP.SignalPacket.self, octets)
        case 2: check(L2CAP.ConnectionParameterUpdateRequest.self, octets)
        case 3: check(L2CAP.ConnectionParameterUpdateResponse.self, octets)
        case 4: check(L2CAP.CreditBasedConnectionRequest.self, octets)
        case 5: check(L2CAP.CreditBasedConnectionResponse.self, octets)
        case 6: check(L2CAP.FlowControlCredit.self, octets)
        case 7: check(L2CAP.DisconnectionRequest.self, octets)
        case 8: check(L2CAP.DisconnectionResponse.self, octets)
        default: check(L2CAP.CommandReject.self, octets)
        }
    }

    private static func checkAir(_ which: UInt8, _ octets: Span<UInt8>) {
        switch which % 4 {
        case 0: check(LL.AdvertisingPDU.self, octets)
        case 1: check(LL.ControlPDU.self, octets)
        case 2: check(LL.ConnectInd.self, octets)
        default: check(LL.DataHeader.self, octets)
        }
    }

    private static func checkAdvertising(_ octets: Span<UInt8>) {
        var structures = AD.Structures(octets)
        var count = 0
        while let structure = structures.next() {
            count += 1
            structure.forEachServiceUUID { _ in count += 0 }
            structure.forEachSolicitedUUID { _ in count += 0 }
            _ = structure.content(as: AD.Flags.self)
            _ = structure.content(as: AD.ConnectionIntervalRange.self)
            _ = structure.content(as: AD.Appearance.self)
        }
        require(count <= octets.count, "more structures than octets")
    }

    /// The packets of a stream that is not broken do not depend on how it is cut into reads.
    private static func checkFraming(_ how: UInt8, _ octets: [UInt8]) {
        let reader: H4Framer.Reader = how & 1 == 0 ? .host : .controller
        var whole = H4Framer(reader: reader, maximumDataLength: 512)
        var packets: [[UInt8]] = []
        whole.receive(octets.span) { packets.append([UInt8]($0)) }
        var cut = H4Framer(reader: reader, maximumDataLength: 512)
        var others: [[UInt8]] = []
        let step = 1 + Int(how >> 1) % 40
        var position = 0
        while position < octets.count {
            let end = min(octets.count, position + step)
            cut.receive(octets.span.extracting(position..<end)) { others.append([UInt8]($0)) }
            require(cut.pendingOctets <= 1_024, "\(cut.pendingOctets) octets are kept of an unfinished packet")
            position = end
        }
        // In a damaged stream, the present octets determine the start of the next packet.
        require(whole.skippedOctets > 0 || packets == others, "the packets depend on the reads")
        for packet in packets { _ = try? H4.Packet(decoding: packet.span) }
    }

    private static func checkCapture(_ which: UInt8, _ octets: Span<UInt8>) {
        let frame = LinkLayerFrame(
            channel: which, phy: which & 1 == 0 ? .oneM : .codedS8, signalPower: Int8(bitPattern: which),
            accessAddress: 0x8E89_BED6, crcInit: 0x555555, direction: .unspecified)
        _ = frame.rfChannel
        _ = LL.crc(of: octets, initial: UInt32(which) << 8 & 0xFFFFFF)
    }
}
