import BLEWire
import Testing

/// The longest content of each packet with octets of any number is written, and one octet more is refused with `fieldTooLong`, never cut.
struct FieldLimitTests {
    /// The longest packet is also read again.
    private func holds<P: PDU & ~Escapable>(
        _ most: Int, in type: P.Type, sourceLocation: SourceLocation = #_sourceLocation,
        _ encode: (Span<UInt8>) throws -> [UInt8]
    ) {
        holds(most, sourceLocation: sourceLocation) {
            let octets = try encode($0)
            _ = try P(decoding: octets.span)
            return octets
        }
    }

    private func holds(
        _ most: Int, sourceLocation: SourceLocation = #_sourceLocation, _ encode: (Span<UInt8>) throws -> [UInt8]
    ) {
        let data = [UInt8](repeating: 1, count: most + 1)
        #expect(throws: Never.self, sourceLocation: sourceLocation) {
            let octets = try encode(data.span.extracting(first: most))
            #expect(octets.count > most, sourceLocation: sourceLocation)
        }
        #expect(throws: EncodeError.fieldTooLong, sourceLocation: sourceLocation) { _ = try encode(data.span) }
    }

    private func h4(_ append: (inout [UInt8]) throws -> Void) rethrows -> [UInt8] {
        var octets: [UInt8] = []
        try append(&octets)
        return octets
    }

    private let address = DeviceAddress(kind: .random, value: 0xC605_0403_0201)

    @Test func packetsOfTheHostInterface() {
        holds(0xFFFF, in: HCI.ACLPacket.self) {
            try encoded(HCI.ACLPacket(connectionHandle: 0x40, boundary: .continuing, data: $0))
        }
        holds(255, in: HCI.CommandPacket.self) { try encoded(HCI.CommandPacket(opcode: .reset, parameters: $0)) }
        holds(255, in: HCI.EventPacket.self) { try encoded(HCI.EventPacket(code: .leMeta, parameters: $0)) }
        holds(31, in: HCI.AdvertisingReport.self) {
            try encoded(HCI.AdvertisingReport(eventType: .scanResponse, address: address, data: $0, rssi: 0))
        }
        holds(255, in: HCI.ExtendedAdvertisingReport.self) {
            try encoded(HCI.ExtendedAdvertisingReport(eventType: [], address: address, rssi: 0, data: $0))
        }
        holds(247, in: HCI.LEPeriodicAdvertisingReport.self) {
            try encoded(HCI.LEPeriodicAdvertisingReport(syncHandle: 1, dataStatus: .complete, data: $0))
        }
        holds(244, in: HCI.LEPeriodicAdvertisingReportV2.self) {
            try encoded(
                HCI.LEPeriodicAdvertisingReportV2(
                    syncHandle: 1, eventCounter: 2, subevent: 3, dataStatus: .complete, data: $0))
        }
        holds(255, in: HCI.PeriodicAdvertisingResponse.self) {
            try encoded(HCI.PeriodicAdvertisingResponse(responseSlot: 1, dataStatus: .complete, data: $0))
        }
        holds(247, in: HCI.LESetPeriodicAdvertisingResponseData.self) {
            try encoded(
                HCI.LESetPeriodicAdvertisingResponseData(
                    syncHandle: 1, requestEvent: 2, requestSubevent: 3, responseSubevent: 4, responseSlot: 5, data: $0))
        }
    }

    /// The length of an H4 packet covers the fields before the content too.
    @Test func packetsWithTheirHeaders() {
        let set = HCI.LESetExtendedAdvertisingEnable.Entry(advertisingHandle: 1)
        for (count, isFitting) in [(63, true), (64, false)] {
            let command = HCI.LESetExtendedAdvertisingEnable(enable: true, sets: .init(repeating: set, count: count))
            var octets: [UInt8] = []
            do throws(EncodeError) {
                try octets.append(command: command)
                #expect(isFitting)
            } catch {
                #expect(!isFitting && error == .fieldTooLong && octets.isEmpty)
            }
        }
        holds(252) { data in
            try h4 { try $0.append(event: HCI.CommandComplete(opcode: .reset, returnParameters: data)) }
        }
        holds(229) { data in
            try h4 {
                try $0.append(
                    extendedAdvertisingReport: .init(eventType: [], address: address, rssi: 0, data: data))
            }
        }
        holds(247) { data in
            try h4 {
                try $0.append(
                    leEvent: HCI.LEPeriodicAdvertisingReport(syncHandle: 1, dataStatus: .complete, data: data))
            }
        }
    }

    @Test func packetsOfLinks() {
        holds(0xFFFF, in: L2CAP.Frame.self) { try encoded(L2CAP.Frame(channel: .attribute, payload: $0)) }
        holds(0xFFFF, in: L2CAP.SignalPacket.self) {
            try encoded(L2CAP.SignalPacket(code: .commandReject, identifier: 1, data: $0))
        }
        holds(4, in: L2CAP.CommandReject.self) { try encoded(L2CAP.CommandReject(reason: .notUnderstood, data: $0)) }
        holds(31, in: LL.AdvInd.self) { try encoded(LL.AdvInd(advertiser: 1, data: $0)) }
        holds(31, in: LL.AdvNonconnInd.self) { try encoded(LL.AdvNonconnInd(advertiser: 1, data: $0)) }
        holds(31, in: LL.AdvScanInd.self) { try encoded(LL.AdvScanInd(advertiser: 1, data: $0)) }
        holds(31, in: LL.ScanRsp.self) { try encoded(LL.ScanRsp(advertiser: 1, data: $0)) }
        holds(254) {
            let fields = LL.ExtendedAdvertisement(mode: .none, data: $0)
            return try encoded(LL.AdvertisingPDU.extended(LL.AdvertisingHeader(type: .extended), fields))
        }
        holds(255, in: ATT.ReadByTypeResponse.self) {
            try encoded(ATT.ReadByTypeResponse(length: $0.count, data: $0))
        }
        holds(255, in: ATT.ReadByGroupTypeResponse.self) {
            try encoded(ATT.ReadByGroupTypeResponse(length: $0.count, data: $0))
        }
    }

    /// The entries of a list belong to the bits of a mask.
    @Test func listsHaveAnEntryForEachPHY() {
        let entry = HCI.LEExtendedCreateConnection.Entry(
            scanInterval: 0x60, scanWindow: 0x30, intervalMinimum: 0x18, intervalMaximum: 0x28, maximumLatency: 4,
            supervisionTimeout: 0x2A, minimumConnectionEventLength: 2, maximumConnectionEventLength: 6)
        for count in 0...3 {
            let command = HCI.LEExtendedCreateConnection(
                filterPolicy: .peerAddress, ownAddressType: .random, peerAddress: address,
                phys: [.le1M, .leCoded],
                entries: .init(repeating: entry, count: count))
            if count == 2 {
                #expect(throws: Never.self) { try encoded(command) }
            } else {
                #expect(throws: EncodeError.fieldTooLong) { try encoded(command) }
            }
        }
    }
}
