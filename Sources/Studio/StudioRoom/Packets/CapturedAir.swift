import BLEPacketDecoding
import BLETransport
import BLEWire
import Phrases

/// The packets of a capture file as the packet list shows those of the room: with the numbers of the file, and the times since the first packet.
///
/// It keeps the first packets up to its limits, whatever the file holds, and counts the others.
package struct CapturedAir: Sendable {
    package static let packetLimit = 200_000
    package static let octetLimit = 32 << 20
    /// The most devices with a name. Packets of further ones have no sender.
    package static let deviceLimit = 512
    /// The most octets of one packet that the list shows.
    private static let lengthLimit = Int(UInt16.max)
    /// The most links on the air whose devices are remembered.
    private static let linkLimit = 1024
    /// The number of the recorder, which hears the packets on the air.
    private static let recorder = 0
    /// The numbers of the sides of a link whose devices are not known.
    private static let unknown = [-1, -2]

    /// A device that sent packets of the capture.
    package struct Device: Hashable, Sendable {
        package var number: Int
        package var name: Phrase
        /// Nil for a host and its controller.
        package var address: DeviceAddress?
    }

    private enum Key: Hashable {
        case address(DeviceAddress)
        case host(controller: UInt16)
        case controller(UInt16)
    }

    /// The packets of the file so far.
    package private(set) var count = 0
    /// The packets that are not kept.
    package private(set) var leftOut = 0
    package private(set) var layers: Set<PacketLayer> = []
    private var ring = PacketRing(packetLimit: .max, octetLimit: .max, first: 1)
    private var dissector = AirDissector()
    private var octetCount = 0
    /// A hash of the packets, by FNV-1a.
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private var times = CaptureTimes()
    private var named: [Device] = []
    private var numbers: [Key: Int] = [:]
    private var senders = LinkSenders()
    /// The devices of the links on the air, by `LinkSide`.
    private var links: [UInt32: [Int]] = [:]
    /// The access addresses of `links`, in the order of their connections.
    private var linkOrder: [UInt32] = []
    private let packetLimit: Int
    private let octetLimit: Int

    package init(packetLimit: Int = Self.packetLimit, octetLimit: Int = Self.octetLimit) {
        self.packetLimit = packetLimit
        self.octetLimit = octetLimit
    }

    /// The packets that are kept. Another content is another run: a page that stays open while the studio starts again with another file does not mix them.
    package var packets: RoomPackets {
        // Numbers in JSON are exact up to 53 bits.
        RoomPackets(ring: ring, dissector: dissector, run: Int(hash >> 11), names: [:], first: 1)
    }

    private mutating func mix(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01B3 }

    /// The senders, in the order of their first packets, and the recorder.
    package var devices: [Device] { named + [Device(number: Self.recorder, name: Phrase("the recorder", "记录设备"))] }

    /// Takes the next packet of the file.
    package mutating func add(_ packet: CapturedPacket) {
        count += 1
        // The list has no gaps, so nothing follows the first packet that has no room.
        guard leftOut == 0, ring.range.count < packetLimit, octetCount < octetLimit else {
            leftOut += 1
            return
        }
        let moment = times.moment(of: packet)
        let time = moment.shownTime
        let (frame, summary): (AirFrame, PacketSummary)
        switch packet.content {
        case .host(let host): (frame, summary) = take(host, at: time)
        case .air(let air): (frame, summary) = take(air, at: moment)
        case .other: (frame, summary) = record(.record, at: time)
        case .undecodable: (frame, summary) = record(.undecodable, at: time)
        }
        layers.insert(summary.layer)
        octetCount += frame.octets.count
        mix(UInt64(bitPattern: time))
        for octet in frame.octets { mix(UInt64(octet)) }
        ring.append(frame, summary)
    }

    private func frame(_ octets: [UInt8], at time: Int64, sender: Int) -> AirFrame {
        AirFrame(
            number: ring.count, start: time, airTime: 0, channel: .max, phy: .oneM, accessAddress: 0, octets: octets,
            sender: sender)
    }

    private func record(_ content: PacketSummary.Content, at time: Int64) -> (AirFrame, PacketSummary) {
        (frame([], at: time, sender: -1), PacketSummary(content: content, layer: .data, octets: []))
    }

    // MARK: Devices

    private mutating func number(_ key: Key, _ name: @autoclosure () -> Phrase) -> Int? {
        if let number = numbers[key] { return number }
        guard named.count < Self.deviceLimit else { return nil }
        let number = named.count + 1
        numbers[key] = number
        var device = Device(number: number, name: name())
        if case .address(let address) = key { device.address = address }
        named.append(device)
        return number
    }

    private mutating func number(of address: DeviceAddress) -> Int? {
        number(.address(address), Phrase(data: "\(address)"))
    }

    /// Gives a device the name in its advertising data, once.
    private mutating func name(_ number: Int?, _ data: Span<UInt8>) {
        guard let number, let address = named[number - 1].address, named[number - 1].name.data == "\(address)",
            let name = AD.localName(in: data), !name.isEmpty
        else { return }
        named[number - 1].name = Phrase(data: name, limit: 64)
    }

    // MARK: HCI

    private mutating func take(_ host: CapturedPacket.Host, at time: Int64) -> (AirFrame, PacketSummary) {
        let octets = Array(host.octets.prefix(Self.lengthLimit))
        let (summary, isSent) = dissector.add(
            host: octets, isSent: host.isSent, controller: host.controller, at: time)
        let controller = host.controller
        // Captures of one controller do not say its number.
        let number =
            switch (isSent, controller) {
            case (true, 0): number(.host(controller: 0), Phrase("Host", "主机"))
            case (false, 0): number(.controller(0), Phrase("Controller", "控制器"))
            case (true, _): number(.host(controller: controller), Phrase("Host \(controller)", "主机 \(controller)"))
            case (false, _): number(.controller(controller), Phrase("Controller \(controller)", "控制器 \(controller)"))
            }
        return (frame(octets, at: time, sender: number ?? -1), summary)
    }

    // MARK: The air

    private mutating func take(_ air: CapturedPacket.Air, at moment: Moment) -> (AirFrame, PacketSummary) {
        let isAdvertising = air.accessAddress == LL.advertisingAccessAddress
        // The content of a damaged packet is chance: it names no device and no link.
        let sender =
            !air.isIntact ? -1 : isAdvertising ? advertisingSender(air) : linkSender(air, moment.time)
        let reception = AirFrame.Reception(
            receiver: Self.recorder, rssi: air.signal ?? 127, outcome: air.isIntact ? .received : .corrupted)
        let frame = AirFrame(
            number: ring.count, start: moment.shownTime,
            airTime: air.phy.airTime(pduLength: air.octets.count).nanoseconds,
            channel: air.channel ?? .max, phy: air.phy, accessAddress: air.accessAddress, octets: air.octets,
            isDecrypted: air.isDecrypted, sender: sender, receptions: [reception])
        guard air.isIntact else {
            var summary = PacketSummary(content: .undecodable, layer: isAdvertising ? .adv : .ll, octets: air.octets)
            summary.link = isAdvertising ? nil : air.accessAddress
            summary.isHeard = false
            return (frame, summary)
        }
        return (frame, dissector.add(frame))
    }

    private mutating func linkSender(_ air: CapturedPacket.Air, _ time: Int64) -> Int {
        (links[air.accessAddress] ?? Self.unknown)[senders.side(of: air, at: time).rawValue]
    }

    /// Remembers the devices of a new link. The oldest one gives way: the dissector tells the sides of a link by its senders, which must not change.
    private mutating func begin(_ accessAddress: UInt32, _ devices: [Int]) {
        if links[accessAddress] != nil {
            linkOrder.removeAll { $0 == accessAddress }
        } else if links.count >= Self.linkLimit {
            links[linkOrder.removeFirst()] = nil
        }
        linkOrder.append(accessAddress)
        links[accessAddress] = devices
        senders.forget(accessAddress)
    }

    private mutating func advertisingSender(_ air: CapturedPacket.Air) -> Int {
        guard let pdu = try? LL.AdvertisingPDU(decoding: air.octets.span) else { return -1 }
        let sender: Int?
        switch pdu {
        case .advInd(let header, let payload):
            sender = number(of: header.transmitter(payload.advertiser))
            name(sender, payload.data)
        case .advNonconnInd(let header, let payload):
            sender = number(of: header.transmitter(payload.advertiser))
            name(sender, payload.data)
        case .advScanInd(let header, let payload):
            sender = number(of: header.transmitter(payload.advertiser))
            name(sender, payload.data)
        case .advDirectInd(let header, let payload): sender = number(of: header.transmitter(payload.advertiser))
        case .scanRsp(let header, let payload):
            sender = number(of: header.transmitter(payload.advertiser))
            name(sender, payload.data)
        case .extended(let header, let payload), .auxConnectRsp(let header, let payload):
            sender = payload.advertiser.flatMap { number(of: header.transmitter($0)) }
            name(sender, payload.data)
        case .scanReq(let header, let request): sender = number(of: header.transmitter(request.scanner))
        case .connectInd(let header, let request):
            sender = number(of: header.transmitter(request.initiator))
            let peripheral = number(of: header.receiver(request.advertiser))
            begin(request.accessAddress, [sender ?? Self.unknown[0], peripheral ?? Self.unknown[1]])
        case .unknown: sender = nil
        }
        return sender ?? -1
    }
}
