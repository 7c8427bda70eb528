import BLEWire
import Testing

@testable import BLEController

extension RawHost {
    /// Sends a command and returns its status.
    @discardableResult
    func status(_ bench: Bench, of command: some HCICommand) -> HCI.ErrorCode? {
        send(command)
        bench.deliver()
        return status(of: type(of: command).opcode)
    }

    /// Sets advertising data or scan response data with one command.
    @discardableResult
    func setData(
        _ bench: Bench, _ data: [UInt8], handle: UInt8 = 0, _ operation: HCI.DataOperation = .complete,
        isResponse: Bool = false
    ) -> HCI.ErrorCode? {
        let opcode: UInt16 = isResponse ? 0x2038 : 0x2037
        send(
            raw: [1, UInt8(opcode & 0xFF), 0x20, UInt8(4 + data.count), handle, operation.rawValue, 1]
                + [UInt8(data.count)] + data)
        bench.deliver()
        return status(of: HCI.Opcode(rawValue: opcode))
    }

    /// Sets long data in fragments.
    func setLongData(_ bench: Bench, _ data: [UInt8], handle: UInt8 = 0, isResponse: Bool = false) -> HCI.ErrorCode? {
        guard data.count > 251 else { return setData(bench, data, handle: handle, isResponse: isResponse) }
        var (position, status) = (0, HCI.ErrorCode?.none)
        while position < data.count {
            let end = min(data.count, position + 251)
            let operation: HCI.DataOperation = position == 0 ? .first : end == data.count ? .last : .intermediate
            status = setData(
                bench, Array(data[position..<end]), handle: handle, operation, isResponse: isResponse)
            guard status == .success else { return status }
            position = end
        }
        return status
    }

    @discardableResult
    func enable(
        _ bench: Bench, _ handles: [UInt8] = [0], duration: UInt16 = 0, events: UInt8 = 0
    ) -> HCI.ErrorCode? {
        status(
            bench,
            of: HCI.LESetExtendedAdvertisingEnable(
                enable: true,
                sets: handles.map { .init(advertisingHandle: $0, duration: duration, maximumEvents: events) }))
    }

    @discardableResult
    func disable(_ bench: Bench, _ handles: [UInt8] = []) -> HCI.ErrorCode? {
        status(
            bench,
            of: HCI.LESetExtendedAdvertisingEnable(
                enable: false, sets: handles.map { .init(advertisingHandle: $0) }))
    }

    /// Creates a set with an interval in units of 0.625 ms and the host's random address, and enables it.
    @discardableResult
    func advertiseExtended(
        _ bench: Bench, _ properties: HCI.AdvertisingEventProperties, handle: UInt8 = 0, interval: UInt32 = 0xA0,
        data: [UInt8] = [], response: [UInt8] = [], enables: Bool = true,
        _ change: (inout HCI.LESetExtendedAdvertisingParameters) -> Void = { _ in }
    ) -> HCI.ErrorCode? {
        var parameters = HCI.LESetExtendedAdvertisingParameters(
            advertisingHandle: handle, properties: properties, intervalMinimum: interval, intervalMaximum: interval,
            ownAddressType: .random, advertisingSID: handle & 0x0F)
        change(&parameters)
        guard status(bench, of: parameters) == .success else {
            return status(of: HCI.LESetExtendedAdvertisingParameters.opcode)
        }
        status(bench, of: HCI.LESetAdvertisingSetRandomAddress(advertisingHandle: handle, address: address))
        if !data.isEmpty { #expect(setLongData(bench, data, handle: handle) == .success) }
        if !response.isEmpty {
            #expect(setLongData(bench, response, handle: handle, isResponse: true) == .success)
        }
        return enables ? enable(bench, [handle]) : .success
    }

    var terminations: [HCI.LEAdvertisingSetTerminated] { all(HCI.LEAdvertisingSetTerminated.self) }
}

/// An advertising PDU on the air, with a copy of its fields.
struct AirAdvertisement {
    var sender: ControllerIdentifier
    var start: Instant
    var end: Instant
    var channel: UInt8
    var phy: LL.PHY
    var type: LL.AdvertisingPDUType
    var isSenderRandom: Bool
    var isTargetRandom: Bool
    /// The fields of an extended PDU.
    var mode: LL.AdvertisingMode?
    var advertiser: UInt64?
    var target: UInt64?
    var dataInfo: LL.AdvertisingDataInfo?
    var pointer: LL.AuxiliaryPointer?
    var txPower: Int8?
    var data: [UInt8] = []

    init?(_ packet: borrowing AirPacket) {
        guard packet.accessAddress == LL.advertisingAccessAddress,
            let pdu = try? LL.AdvertisingPDU(decoding: packet.pdu)
        else { return nil }
        (sender, channel, phy) = (packet.sender, packet.channel, packet.phy)
        (start, end) = (packet.start, packet.start + packet.airTime)
        type = pdu.header.type
        (isSenderRandom, isTargetRandom) = (pdu.header.transmitterIsRandom, pdu.header.receiverIsRandom)
        switch pdu {
        case .extended(_, let fields), .auxConnectRsp(_, let fields):
            (mode, advertiser, target) = (fields.mode, fields.advertiser, fields.target)
            (dataInfo, pointer, txPower) = (fields.dataInfo, fields.pointer, fields.txPower)
            for index in fields.data.indices { data.append(fields.data[index]) }
        default: break
        }
    }

    var isPrimary: Bool { channel >= 37 }
}

/// The advertising PDUs on the air in the order of their ends.
final class AirRecord {
    private(set) var packets: [AirAdvertisement] = []
    /// The packets of links.
    private(set) var others = 0

    init(_ bench: Bench) {
        bench.radio.airObserver = { [unowned self] packet in
            if let advertisement = AirAdvertisement(packet) {
                packets.append(advertisement)
            } else {
                others += 1
            }
        }
    }

    func removeAll() { packets.removeAll() }

    var primary: [AirAdvertisement] { packets.filter(\.isPrimary) }
    var secondary: [AirAdvertisement] { packets.filter { !$0.isPrimary } }

    /// The PDU that a pointer names: the first one of the sender after it, if it begins at the offset or at most one unit later.
    func named(by packet: AirAdvertisement) -> AirAdvertisement? {
        guard let pointer = packet.pointer else { return nil }
        let earliest = packet.start + pointer.span
        // The offset is at least the length of the packet and T_MAFS (Vol 6, Part B, 2.3.4.5).
        guard earliest >= packet.end + .microseconds(300) else { return nil }
        return packets.first {
            $0.sender == packet.sender && $0.channel == pointer.channel && $0.start >= earliest
                && $0.start <= earliest + pointer.unit && pointer.phy?.hears($0.phy) == true
        }
    }

    /// The data of a PDU and of the chain after it; nil if a pointer names no PDU or one with another ADI.
    func wholeData(from first: AirAdvertisement) -> [UInt8]? {
        var (data, packet) = (first.data, first)
        while packet.pointer != nil {
            guard let next = named(by: packet), next.dataInfo == first.dataInfo else { return nil }
            data += next.data
            packet = next
        }
        return data
    }
}

/// A device without a host that transmits what a test says.
struct TestTransmitter {
    let bench: Bench
    let identifier: ControllerIdentifier
    let address = DeviceAddress(kind: .random, value: 0xC0FF_EE00_0001)

    init(_ bench: Bench) {
        self.bench = bench
        identifier = bench.radio.addController()
    }

    func transmit(
        _ pdu: [UInt8], at start: Instant, on channel: UInt8, phy: LL.PHY,
        accessAddress: UInt32 = LL.advertisingAccessAddress, crcInit: UInt32 = LL.advertisingCRCInit
    ) {
        bench.radio.medium.transmit(
            from: Int32(identifier.rawValue), at: start, on: channel, phy: phy, accessAddress: accessAddress,
            crcInit: crcInit
        ) { $0 = pdu }
    }

    /// Sends a scan request an inter frame space after a PDU that has just ended.
    func requestScan(of advertiser: DeviceAddress, after packet: AirAdvertisement, by scanner: DeviceAddress? = nil) {
        let scanner = scanner ?? address
        var pdu: [UInt8] = []
        let header = LL.AdvertisingHeader(
            type: .scanReq, transmitterIsRandom: scanner.kind == .random, receiverIsRandom: advertiser.kind == .random)
        let request = LL.ScanReq(scanner: scanner.value, advertiser: advertiser.value)
        #expect(throws: Never.self) { try pdu.append(encoding: LL.AdvertisingPDU.scanReq(header, request)) }
        transmit(pdu, at: packet.end + LL.interFrameSpace, on: packet.channel, phy: packet.phy)
    }

    /// Sends a connection request an inter frame space after a PDU that has just ended. Returns it.
    @discardableResult
    func connect(
        to advertiser: DeviceAddress, after packet: AirAdvertisement, by initiator: DeviceAddress? = nil,
        windowOffset: UInt16 = 0
    ) -> LL.ConnectInd {
        let initiator = initiator ?? address
        let request = LL.ConnectInd(
            initiator: initiator.value, advertiser: advertiser.value, accessAddress: 0x5A3C_96E1, crcInit: 0x12_3456,
            windowSize: 1, windowOffset: windowOffset, interval: 24, latency: 0, timeout: 100, channelMap: .all,
            hop: 7, sleepClockAccuracy: 7)
        var pdu: [UInt8] = []
        let header = LL.AdvertisingHeader(
            type: .connectInd, transmitterIsRandom: initiator.kind == .random,
            receiverIsRandom: advertiser.kind == .random)
        #expect(throws: Never.self) { try pdu.append(encoding: LL.AdvertisingPDU.connectInd(header, request)) }
        transmit(pdu, at: packet.end + LL.interFrameSpace, on: packet.channel, phy: packet.phy)
        return request
    }

    /// Runs to the end of the next secondary PDU with no pointer, which answers may follow.
    func awaitAuxiliary(_ air: AirRecord, of sender: RawHost? = nil) -> AirAdvertisement? {
        let before = air.packets.count
        var found: AirAdvertisement?
        _ = bench.run(atMost: .seconds(12)) {
            found = air.packets[before...].first { !$0.isPrimary && $0.sender == sender?.identifier ?? $0.sender }
            return found != nil
        }
        return found
    }
}
