import BLETransport
import BLEWire

@testable import BLEPacketDecoding

/// The story of a file, read in pieces.
func story(of file: [UInt8], pieces: Int = 100) throws -> CaptureStory {
    var reader = CaptureReader()
    var story = CaptureStory()
    var rest = file[...]
    while !rest.isEmpty {
        reader.append(rest.prefix(pieces))
        rest = rest.dropFirst(pieces)
        while let packet = try reader.next() { story.add(packet) }
    }
    story.finish()
    return story
}

/// Makes a btsnoop file of a host with one link, handle 0040, from octets.
struct HostCapture {
    static let peer = DeviceAddress(kind: .random, value: 0xC605_0403_0201)

    private(set) var file: [UInt8] = []
    private var writer = BtsnoopWriter(format: .h4)
    /// In nanoseconds since 1970.
    private var now: Int64 = 1_700_000_000_000_000_000
    /// The number of packets.
    private(set) var frames = 0

    init() { writer.appendHeader(to: &file) }

    func story() throws -> CaptureStory { try BLEPacketDecodingTests.story(of: file) }

    mutating func wait(_ milliseconds: Int) { now += Int64(milliseconds) * 1_000_000 }

    mutating func send(_ packet: [UInt8]) { add(packet, .sent) }
    mutating func receive(_ packet: [UInt8]) { add(packet, .received) }

    private mutating func add(_ packet: [UInt8], _ direction: BtsnoopWriter.Direction) {
        wait(10)
        frames += 1
        writer.append(packet.span, direction: direction, time: now, to: &file)
    }

    /// A packet of at most 255 octets of which the recorder kept the first ones, as Android's filter does.
    mutating func receive(_ packet: [UInt8], keeping count: Int) {
        let record = file.count
        receive(Array(packet.prefix(count)))
        file[record + 3] = UInt8(packet.count)
    }

    mutating func command(_ opcode: UInt16, _ parameters: [UInt8]) {
        send([1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
    }

    mutating func event(_ code: UInt8, _ parameters: [UInt8]) {
        receive([4, code, UInt8(parameters.count)] + parameters)
    }

    /// LE Connection Complete: an interval of 30 ms, no latency, a timeout of 5 s.
    mutating func connect(isCentral: Bool = true, status: UInt8 = 0, interval: UInt8 = 24, timeout: UInt16 = 500) {
        event(
            0x3E,
            [1, status, 0x40, 0, isCentral ? 0 : 1, 1, 1, 2, 3, 4, 5, 0xC6, interval, 0, 0, 0]
                + [UInt8(timeout & 0xFF), UInt8(timeout >> 8), 0])
    }

    /// Disconnection Complete.
    mutating func disconnect(_ reason: UInt8) { event(0x05, [0, 0x40, 0, reason]) }

    /// Encryption Change.
    mutating func encrypt(status: UInt8 = 0) { event(0x08, [status, 0x40, 0, status == 0 ? 1 : 0]) }

    /// An L2CAP frame in one fragment.
    mutating func frame(_ channel: UInt8, _ payload: [UInt8], isSent: Bool) {
        let count = payload.count
        let frame = [UInt8(count & 0xFF), UInt8(count >> 8), channel, 0] + payload
        let boundary: UInt8 = isSent ? 0 : 0x20
        let packet = [2, 0x40, boundary, UInt8(frame.count & 0xFF), UInt8(frame.count >> 8)] + frame
        if isSent { send(packet) } else { receive(packet) }
    }

    /// A PDU of this host's client, or its server's.
    mutating func sendATT(_ pdu: [UInt8]) { frame(4, pdu, isSent: true) }
    mutating func receiveATT(_ pdu: [UInt8]) { frame(4, pdu, isSent: false) }

    /// A discovery of Heart Rate with its measurement (handle 0003, its configuration 0004) and of Service Changed (0012, 0013).
    mutating func discover() {
        sendATT([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28])
        receiveATT([0x11, 6, 1, 0, 0x0F, 0, 0x0D, 0x18, 0x10, 0, 0x1F, 0, 0x01, 0x18])
        sendATT([0x10, 0x20, 0, 0xFF, 0xFF, 0, 0x28])
        receiveATT([0x01, 0x10, 0x20, 0, 0x0A])
        sendATT([0x08, 1, 0, 0xFF, 0xFF, 3, 0x28])
        receiveATT([0x09, 7, 2, 0, 0x10, 3, 0, 0x37, 0x2A, 0x11, 0, 0x20, 0x12, 0, 0x05, 0x2A])
        sendATT([0x04, 4, 0, 4, 0])
        receiveATT([0x05, 1, 4, 0, 0x02, 0x29])
        sendATT([0x04, 0x13, 0, 0x13, 0])
        receiveATT([0x05, 1, 0x13, 0, 0x02, 0x29])
    }

    mutating func subscribe(_ descriptor: UInt8 = 4, _ value: UInt8 = 1) {
        sendATT([0x12, descriptor, 0, value, 0])
        receiveATT([0x13])
    }
}

/// Makes a pcapng file of one link on the air.
struct AirFile {
    static let accessAddress: UInt32 = 0x5065_5C3A

    private(set) var file: [UInt8] = []
    private var writer = PcapngWriter()
    private var now: Int64 = 0
    private var sequence = [false, false]
    private(set) var frames = 0
    /// Whether the file says which side sent a packet.
    var hasDirections = true

    init() { writer.appendHeader(interface: "air", to: &file) }

    func story() throws -> CaptureStory { try BLEPacketDecodingTests.story(of: file) }

    mutating func wait(_ microseconds: Int) { now += Int64(microseconds) * 1000 }

    private mutating func add(
        _ pdu: [UInt8], _ accessAddress: UInt32, channel: UInt8, _ direction: LinkLayerFrame.Direction
    ) {
        frames += 1
        let frame = LinkLayerFrame(
            channel: channel, phy: .oneM, signalPower: -50, accessAddress: accessAddress, crcInit: 0x55_5555,
            direction: hasDirections ? direction : .unspecified)
        writer.append(frame, pdu: pdu.span, time: now, to: &file)
        now += LL.PHY.oneM.airTime(pduLength: pdu.count).nanoseconds
    }

    /// An advertising event on the channels 37 and 38: ADV_IND of C6:05:04:03:02:01 with the name "Bulb".
    mutating func advertise(after microseconds: Int) {
        wait(microseconds)
        for channel: UInt8 in [37, 38] {
            add(
                [0x40, 12, 1, 2, 3, 4, 5, 0xC6, 5, 9] + Array("Bulb".utf8), LL.advertisingAccessAddress,
                channel: channel, .unspecified)
            wait(400)
        }
    }

    /// CONNECT_IND of D6:15:14:13:12:11: an interval of 30 ms, latency 0, a timeout of 2 s.
    mutating func connect() {
        add(
            Air.octets(
                "C5 22 11 12 13 14 15 D6 01 02 03 04 05 C6 3A 5C 65 50 55 44 33 02 03 00 18 00 00 00 C8 00 FF FF FF FF 1F E9"
            ), LL.advertisingAccessAddress, channel: 37, .unspecified)
    }

    /// A new data PDU.
    mutating func data(_ kind: LL.DataHeader.Kind, _ payload: [UInt8], from side: LinkSide) {
        sequence[side.rawValue].toggle()
        again(kind, payload, from: side)
    }

    /// A data PDU with the sequence number of the last one.
    mutating func again(_ kind: LL.DataHeader.Kind, _ payload: [UInt8], from side: LinkSide) {
        // A connection event begins with the central; the peripheral answers after 150 µs.
        wait(side == .central ? 30_000 : 150)
        let header = kind.rawValue | (sequence[side.rawValue] ? 8 : 0)
        add(
            [header, UInt8(payload.count)] + payload, Self.accessAddress, channel: 9,
            side == .central ? .centralToPeripheral : .peripheralToCentral)
    }

    mutating func control(_ payload: [UInt8], from side: LinkSide) { data(.control, payload, from: side) }

    mutating func att(_ pdu: [UInt8], from side: LinkSide) {
        data(.start, [UInt8(pdu.count), 0, 4, 0] + pdu, from: side)
    }

    /// Empty packets of both sides.
    mutating func exchange() {
        data(.continuation, [], from: .central)
        data(.continuation, [], from: .peripheral)
    }
}

extension CaptureStory {
    /// All findings: those of the links, then the others.
    var allFindings: [CaptureFinding] { links.flatMap { $0.output.findings.all } + findings.all }
}

extension LinkStory {
    var events: [LinkEvent.Kind] { output.events.map(\.kind) }
}
