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
        case 0: check(first, of: commands, octets.span)
        case 1: checkEvent(first, octets.span)
        case 2: checkATT(octets.span)
        case 3: check(first, of: signals, octets.span)
        case 4: checkAir(first, octets.span)
        case 5: checkAdvertising(octets.span)
        case 6: checkFraming(first, octets)
        default: checkCapture(first, octets.span)
        }
    }

    static func check<P: PDU & ~Escapable>(_ type: P.Type, _ octets: Span<UInt8>) {
        guard let pdu = try? P(decoding: octets) else { return }
        var once: [UInt8] = []
        guard (try? once.append(encoding: pdu)) != nil else { fatalError("\(P.self) decodes and does not encode") }
        require(once.count == pdu.encodedCount, "\(P.self) encodes another number of octets than it says")
        guard let again = try? P(decoding: once.span) else { fatalError("\(P.self) does not decode what it encoded") }
        var twice: [UInt8] = []
        guard (try? twice.append(encoding: again)) != nil else { fatalError("\(P.self) encodes only once") }
        require(once == twice, "\(P.self) has two encodings")
    }

    private static func check(_ which: UInt8, of checks: [Check], _ octets: Span<UInt8>) {
        checks[Int(which) % checks.count](octets)
    }

    // MARK: HCI

    private static func checkEvent(_ which: UInt8, _ octets: Span<UInt8>) {
        check(which, of: events, octets)
        switch which & 0xF {
        case 0: checkLists(octets)
        case 1: checkSoleReport(octets)
        default: break
        }
    }

    /// The entries are walked over, whatever the counts say.
    private static func checkLists(_ octets: Span<UInt8>) {
        var (reports, extendedReports, responses, entries) = (0, 0, 0, 0)
        if var event = try? HCI.LEAdvertisingReport(decoding: octets) {
            while let report = event.next() { reports += 1 + report.data.count & 0 }
        }
        if var event = try? HCI.LEExtendedAdvertisingReport(decoding: octets) {
            while let report = event.next() { extendedReports += 1 + report.data.count & 0 }
        }
        if var event = try? HCI.LEPeriodicAdvertisingResponseReport(decoding: octets) {
            while let response = event.next() { responses += 1 + response.data.count & 0 }
        }
        if var event = try? HCI.NumberOfCompletedPackets(decoding: octets) {
            while event.entries.next() != nil { entries += 1 }
        }
        require(
            max(reports, extendedReports, responses, entries) <= octets.count, "a list has more entries than octets")
    }

    /// The short way of a report decodes as the long way does.
    private static func checkSoleReport(_ octets: Span<UInt8>) {
        guard let short = HCI.SoleAdvertisingReport(octets) else { return }
        guard case .event(let event)? = try? H4.Packet(decoding: octets),
            let meta = try? HCI.LEMetaEvent(decoding: event.parameters)
        else { fatalError("a report is no event") }
        if var reports = try? HCI.LEAdvertisingReport(decoding: meta.parameters),
            meta.subeventCode == .advertisingReport
        {
            guard let report = reports.next() else { fatalError("an event has no report") }
            let isEqual =
                report.eventType.rawValue == short.eventType && report.rssi == short.rssi
                && [UInt8](report.data) == [UInt8](short.data)
            require(isEqual, "two ways of a legacy report differ")
        } else if var reports = try? HCI.LEExtendedAdvertisingReport(decoding: meta.parameters) {
            guard let report = reports.next() else { fatalError("an event has no report") }
            let isEqual = report.rssi == short.rssi && [UInt8](report.data) == [UInt8](short.data)
            require(isEqual, "two ways of an extended report differ")
        } else {
            fatalError("a report does not decode")
        }
    }

    // MARK: Links

    private static func checkATT(_ octets: Span<UInt8>) {
        guard !octets.isEmpty, (try? ATT.Packet(decoding: octets)) != nil else { return }
        let body = octets.extracting(droppingFirst: 1)
        switch ATT.Opcode(rawValue: octets[0]) {
        case .errorResponse: check(ATT.ErrorResponse.self, body)
        case .exchangeMTURequest: check(ATT.ExchangeMTURequest.self, body)
        case .exchangeMTUResponse: check(ATT.ExchangeMTUResponse.self, body)
        case .findInformationRequest: check(ATT.FindInformationRequest.self, body)
        case .findInformationResponse: check(ATT.FindInformationResponse.self, body)
        case .findByTypeValueRequest: check(ATT.FindByTypeValueRequest.self, body)
        case .findByTypeValueResponse: check(ATT.FindByTypeValueResponse.self, body)
        case .readByTypeRequest: check(ATT.ReadByTypeRequest.self, body)
        case .readByTypeResponse: check(ATT.ReadByTypeResponse.self, body)
        case .readRequest: check(ATT.ReadRequest.self, body)
        case .readResponse: check(ATT.ReadResponse.self, body)
        case .readBlobRequest: check(ATT.ReadBlobRequest.self, body)
        case .readBlobResponse: check(ATT.ReadBlobResponse.self, body)
        case .readMultipleRequest: check(ATT.ReadMultipleRequest.self, body)
        case .readMultipleResponse: check(ATT.ReadMultipleResponse.self, body)
        case .readByGroupTypeRequest: check(ATT.ReadByGroupTypeRequest.self, body)
        case .readByGroupTypeResponse: check(ATT.ReadByGroupTypeResponse.self, body)
        case .readMultipleVariableRequest: check(ATT.ReadMultipleVariableRequest.self, body)
        case .readMultipleVariableResponse: check(ATT.ReadMultipleVariableResponse.self, body)
        case .writeRequest: check(ATT.WriteRequest.self, body)
        case .writeCommand: check(ATT.WriteCommand.self, body)
        case .signedWriteCommand: check(ATT.SignedWriteCommand.self, body)
        case .prepareWriteRequest: check(ATT.PrepareWriteRequest.self, body)
        case .prepareWriteResponse: check(ATT.PrepareWriteResponse.self, body)
        case .executeWriteRequest: check(ATT.ExecuteWriteRequest.self, body)
        case .handleValueNotification: check(ATT.HandleValueNotification.self, body)
        case .handleValueIndication: check(ATT.HandleValueIndication.self, body)
        case .multipleHandleValueNotification: check(ATT.MultipleHandleValueNotification.self, body)
        default: break
        }
    }

    /// The Security Manager's PDUs have one length each, so that they encode to the same octets.
    private static func checkSecurity(_ octets: Span<UInt8>) {
        guard let packet = try? SMP.Packet(decoding: octets) else { return }
        let once = packet.octets
        require(once.count == octets.count, "\(packet.code) has another length after decoding")
        guard let again = try? SMP.Packet(decoding: once.span) else {
            fatalError("\(packet.code) does not decode what it encoded")
        }
        require(packet == again, "\(packet.code) has two encodings")
    }

    private static func checkAir(_ which: UInt8, _ octets: Span<UInt8>) {
        switch which % 6 {
        case 0: check(LL.AdvertisingPDU.self, octets)
        case 1: check(LL.ControlPDU.self, octets)
        case 2: check(LL.ConnectInd.self, octets)
        case 3: check(LL.DataHeader.self, octets)
        case 4: check(LL.ExtendedAdvertisement.self, octets)
        default: checkSecurity(octets)
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
            _ = structure.content(as: AD.TransmitPower.self)
            _ = structure.content(as: AD.ChannelMapUpdate.self)
            _ = structure.content(as: AD.PeriodicResponseTiming.self)
            _ = structure.content(as: AD.ManufacturerData.self)
            _ = structure.content(as: AD.ServiceData<2>.self)
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
