import BLEWire
import Testing

@testable import BLEController

/// The reports of one periodic event.
struct PeriodicReport: Hashable {
    var handle: UInt16
    var data: [UInt8]
    /// Whether the controller did not receive the rest.
    var isTruncated = false
    var txPower: Int8 = 127
    var tone: UInt8 = 0xFF
}

extension RawHost {
    /// Makes all LE events visible, also that of a transferred sync.
    func unmaskPeriodic() {
        send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0x1FF_FFFF & ~(1 << 9))))
    }

    /// Creates a set on a secondary PHY with a train in units of 1.25 ms, and turns both on.
    @discardableResult
    func advertisePeriodically(
        _ bench: Bench, handle: UInt8 = 1, interval: UInt16 = 80, data: [UInt8] = [2, 1, 6], phy: HCI.PHY = .le1M,
        advertisingInterval: UInt32 = 0x50, enable: HCI.PeriodicAdvertisingEnable = [.on, .includesDataInfo],
        properties: HCI.PeriodicAdvertisingProperties = []
    ) -> HCI.ErrorCode? {
        let status = advertiseExtended(bench, [], handle: handle, interval: advertisingInterval, enables: false) {
            $0.secondaryPHY = phy
            if phy == .leCoded { $0.primaryPHY = .leCoded }
        }
        guard status == .success else { return status }
        let parameters = HCI.LESetPeriodicAdvertisingParameters(
            advertisingHandle: handle, intervalMinimum: interval, intervalMaximum: interval, properties: properties)
        guard self.status(bench, of: parameters) == .success else {
            return self.status(of: type(of: parameters).opcode)
        }
        guard setPeriodicData(bench, data, handle: handle) == .success else {
            return self.status(of: .leSetPeriodicAdvertisingData)
        }
        guard enablePeriodic(bench, handle, enable) == .success else {
            return self.status(of: .leSetPeriodicAdvertisingEnable)
        }
        return self.enable(bench, [handle])
    }

    @discardableResult
    func enablePeriodic(
        _ bench: Bench, _ handle: UInt8 = 1, _ enable: HCI.PeriodicAdvertisingEnable = .on
    ) -> HCI.ErrorCode? {
        status(bench, of: HCI.LESetPeriodicAdvertisingEnable(enable: enable, advertisingHandle: handle))
    }

    @discardableResult
    func setPeriodicData(
        _ bench: Bench, _ data: [UInt8], handle: UInt8 = 1, _ operation: HCI.DataOperation? = nil
    ) -> HCI.ErrorCode? {
        var (position, result) = (0, HCI.ErrorCode?.none)
        repeat {
            let end = min(data.count, position + 252)
            let (isFirst, isLast) = (position == 0, end == data.count)
            let next: HCI.DataOperation = isFirst ? isLast ? .complete : .first : isLast ? .last : .intermediate
            let piece = Array(data[position..<end])
            send(
                raw: [1, 0x3F, 0x20, UInt8(3 + piece.count), handle, (operation ?? next).rawValue]
                    + [UInt8(piece.count)] + piece)
            bench.deliver()
            result = status(of: .leSetPeriodicAdvertisingData)
            position = end
        } while position < data.count && result == .success
        return result
    }

    @discardableResult
    func createSync(
        _ bench: Bench, with advertiser: RawHost? = nil, setID: UInt8 = 1, skip: UInt16 = 0, timeout: UInt16 = 100,
        options: HCI.PeriodicSyncOptions = [], excluded: HCI.ExcludedToneExtensions = []
    ) -> HCI.ErrorCode? {
        status(
            bench,
            of: HCI.LEPeriodicAdvertisingCreateSync(
                options: options, advertisingSID: setID,
                advertiserAddress: advertiser?.address ?? DeviceAddress(kind: .public, value: 0), skip: skip,
                syncTimeout: timeout, excludedToneExtensions: excluded))
    }

    var established: [HCI.LEPeriodicAdvertisingSyncEstablished] { all(HCI.LEPeriodicAdvertisingSyncEstablished.self) }
    var lostSyncs: [UInt16] { all(HCI.LEPeriodicAdvertisingSyncLost.self).map(\.syncHandle) }
    var transferred: [HCI.LEPeriodicAdvertisingSyncTransferReceived] {
        all(HCI.LEPeriodicAdvertisingSyncTransferReceived.self)
    }

    /// The periodic reports, those of one event together.
    var periodicReports: [PeriodicReport] {
        var (result, partial) = ([PeriodicReport](), [UInt16: [UInt8]]())
        for event in events where event[0] == 0x3E && event[2] == 0x0F {
            guard let report = try? HCI.LEPeriodicAdvertisingReport(decoding: event.span.extracting(droppingFirst: 3))
            else {
                Issue.record("no report: \(event)")
                continue
            }
            let data = partial[report.syncHandle, default: []] + [UInt8](report.data)
            guard report.dataStatus != .moreToCome else {
                partial[report.syncHandle] = data
                continue
            }
            partial[report.syncHandle] = nil
            result.append(
                PeriodicReport(
                    handle: report.syncHandle, data: data, isTruncated: report.dataStatus == .truncated,
                    txPower: report.txPower, tone: report.toneExtensionType))
        }
        return result
    }
}

extension AirEar {
    /// The events of trains by access address, in the order of their first packets: those packets that follow within 1 ms.
    var trains: [UInt32: [[HeardPacket]]] {
        var result: [UInt32: [[HeardPacket]]] = [:]
        for packet in packets where packet.accessAddress != LL.advertisingAccessAddress {
            var events = result[packet.accessAddress] ?? []
            if let last = events.last?.last, packet.start - last.end < .milliseconds(1) {
                events[events.count - 1].append(packet)
            } else {
                events.append([packet])
            }
            result[packet.accessAddress] = events
        }
        return result
    }

    /// SyncInfo of AUX_ADV_INDs, with the packets.
    var announcements: [(packet: HeardPacket, info: LL.SyncInfo)] {
        packets.compactMap { packet in
            let octets = packet.octets
            guard packet.accessAddress == LL.advertisingAccessAddress, packet.channel < 37,
                case .extended(_, let payload)? = try? LL.AdvertisingPDU(decoding: octets.span),
                let info = payload.syncInfo
            else { return nil }
            return (packet, info)
        }
    }
}
