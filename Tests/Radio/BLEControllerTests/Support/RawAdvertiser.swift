import BLEWire
import Testing

@testable import BLEController

/// The fields of a PDU of extended advertising.
struct RawPDU {
    var type = LL.AdvertisingPDUType.extended
    var mode = LL.AdvertisingMode.none
    var advertiser: DeviceAddress?
    var target: DeviceAddress?
    var info: LL.AdvertisingDataInfo?
    var pointer: LL.AuxiliaryPointer?
    var syncInfo: LL.SyncInfo?
    var txPower: Int8?
    var data: [UInt8] = []

    var octets: [UInt8] {
        let header = LL.AdvertisingHeader(
            type: type, transmitterIsRandom: advertiser?.kind == .random, receiverIsRandom: target?.kind == .random)
        let payload = LL.ExtendedAdvertisement(
            mode: mode, advertiser: advertiser?.value, target: target?.value, dataInfo: info, pointer: pointer,
            syncInfo: syncInfo, txPower: txPower, data: data.span)
        var octets: [UInt8] = []
        #expect(throws: Never.self) {
            try octets.append(
                encoding: type == .extended
                    ? LL.AdvertisingPDU.extended(header, payload) : LL.AdvertisingPDU.auxConnectRsp(header, payload))
        }
        return octets
    }
}

/// A device that sends PDUs at given times, whatever they are. Its controller does nothing.
final class RawAdvertiser {
    let bench: Bench
    let host: RawHost
    var address: DeviceAddress { host.address }

    init(_ bench: Bench, at position: RadioPosition = .origin) {
        self.bench = bench
        host = bench.addHost(at: position)
    }

    /// - Returns: The end of the packet.
    @discardableResult
    func send(_ octets: [UInt8], at start: Instant, on channel: UInt8, _ phy: LL.PHY = .oneM) -> Instant {
        bench.radio.medium.transmit(
            from: Int32(host.identifier.rawValue), at: start, on: channel, phy: phy
        ) { $0 = octets }
    }

    /// A PDU of an event, and what the pointer to it says.
    struct Link {
        var pdu: RawPDU
        var channel: UInt8 = 5
        var phy = LL.PHY.oneM
        /// In units.
        var offset: UInt16 = 100
        var usesLongUnits = false
        /// How much later than announced it starts.
        var lateness = TimeSpan.zero
        var isSent = true
        /// Replaces the pointer to it.
        var pointer: LL.AuxiliaryPointer?
    }

    /// Sends ADV_EXT_IND on channel 37 and then the chain of PDUs, each with a pointer to the next one.
    ///
    /// - Returns: The end of the last PDU.
    @discardableResult
    func advertise(_ announcement: RawPDU, _ chain: [Link], at start: Instant, primary: LL.PHY = .oneM) -> Instant {
        var pdu = announcement
        var (start, channel, phy) = (start, UInt8(37), primary)
        var isSent = true
        var end = start
        for link in chain {
            let pointer =
                link.pointer
                ?? LL.AuxiliaryPointer(
                    channel: link.channel, isClockAccurate: true, offset: link.offset,
                    usesLongUnits: link.usesLongUnits,
                    phyCode: link.phy.isCoded ? 2 : link.phy == .twoM ? 1 : 0)
            pdu.pointer = pointer
            if isSent { end = send(pdu.octets, at: start, on: channel, phy) }
            start = start + TimeSpan.microseconds(link.usesLongUnits ? 300 : 30) * Int(link.offset) + link.lateness
            (pdu, channel, phy, isSent) = (link.pdu, link.channel, link.phy, link.isSent)
        }
        if isSent { end = send(pdu.octets, at: start, on: channel, phy) }
        return end
    }
}

/// One LE Extended Advertising Report.
struct ExtendedReport: Hashable {
    var type: UInt16
    var address: DeviceAddress
    var primary: UInt8
    var secondary: UInt8
    var sid: UInt8
    var txPower: Int8
    var target: DeviceAddress
    var data: [UInt8]

    /// 0: complete, 1: more to come, 2: truncated.
    var status: UInt16 { type >> 5 & 3 }
}

extension RawHost {
    var extendedReports: [ExtendedReport] {
        var result: [ExtendedReport] = []
        for event in events where event[0] == 0x3E && event[2] == 0x0D {
            guard var list = try? HCI.LEExtendedAdvertisingReport(decoding: event.span.extracting(droppingFirst: 3))
            else {
                Issue.record("no report: \(event)")
                continue
            }
            while let report = list.next() {
                result.append(
                    ExtendedReport(
                        type: report.eventType.rawValue, address: report.address, primary: report.primaryPHY,
                        secondary: report.secondaryPHY, sid: report.advertisingSID, txPower: report.txPower,
                        target: report.directAddress, data: [UInt8](report.data)))
            }
        }
        return result
    }

    /// Scans without pause. The first interval, of 40 s, is on channel 37.
    func scanExtended(
        _ type: HCI.ScanType = .passive, on phys: HCI.PHYMask = .le1M, interval: UInt16 = 0xFFFF,
        window: UInt16 = 0xFFFF, filter: HCI.DuplicateFilter = .off, policy: HCI.ScanFilterPolicy = .everyone,
        own: HCI.OwnAddressType = .random, duration: UInt16 = 0, period: UInt16 = 0
    ) {
        let entry = HCI.LESetExtendedScanParameters.Entry(scanType: type, interval: interval, window: window)
        send(
            HCI.LESetExtendedScanParameters(
                ownAddressType: own, filterPolicy: policy, phys: phys,
                entries: Array(repeating: entry, count: phys.rawValue.nonzeroBitCount)))
        send(
            HCI.LESetExtendedScanEnable(
                enable: true, filterDuplicates: filter, duration: duration, period: period))
        #expect(status(of: .leSetExtendedScanEnable) ?? .success == .success)
    }

    func connectExtended(
        to peer: DeviceAddress, on phys: HCI.PHYMask = .le1M, scanInterval: UInt16 = 0x10, scanWindow: UInt16 = 0x10,
        interval: UInt16 = 24, policy: HCI.InitiatorFilterPolicy = .peerAddress, own: HCI.OwnAddressType = .random
    ) {
        // Each PHY has another interval, so that a link shows which entry it uses.
        let entries = (0..<phys.rawValue.nonzeroBitCount).map {
            HCI.LEExtendedCreateConnection.Entry(
                scanInterval: scanInterval, scanWindow: scanWindow, intervalMinimum: interval + UInt16($0),
                intervalMaximum: interval + UInt16($0), maximumLatency: 0, supervisionTimeout: 100)
        }
        send(
            HCI.LEExtendedCreateConnection(
                filterPolicy: policy, ownAddressType: own, peerAddress: peer, phys: phys, entries: entries))
    }
}

/// A packet on the air.
struct HeardPacket {
    var start: Instant
    var end: Instant
    var channel: UInt8
    var phy: LL.PHY
    var accessAddress: UInt32
    var octets: [UInt8]
}

/// The packets of one device.
final class AirEar {
    private(set) var packets: [HeardPacket] = []

    init(_ bench: Bench, of host: RawHost) {
        let identifier = host.identifier
        bench.radio.airObserver = { [unowned self] packet in
            guard packet.sender == identifier else { return }
            packets.append(
                HeardPacket(
                    start: packet.start, end: packet.start + packet.airTime, channel: packet.channel, phy: packet.phy,
                    accessAddress: packet.accessAddress, octets: packet.pdu.indices.map { packet.pdu[$0] }))
        }
    }
}
