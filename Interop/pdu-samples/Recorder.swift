import BLETransport
import BLEWire
import Foundation

/// Collects packets in two captures, and the decoded values as JSON, one object for each packet.
struct Recorder {
    private var hci: [UInt8] = []
    private var air: [UInt8] = []
    private var hciWriter = BtsnoopWriter(format: .h4)
    private var airWriter = PcapngWriter()
    private var samples: [[String: Any]] = []
    private var counts = ["hci": 0, "air": 0]
    /// All packets so far: PDUs on the air with their access address, and H4 packets without one.
    private(set) var packets: [(accessAddress: UInt32?, octets: [UInt8])] = []
    private var time: Int64 = 1_000_000_000

    static let connection: UInt32 = 0x5065_5C3A
    static let handle: UInt16 = 0x40

    init() {
        hciWriter.appendHeader(to: &hci)
        airWriter.appendHeader(interface: "samples", to: &air)
    }

    /// Octets from hexadecimal text.
    static func octets(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }

    private mutating func note(_ file: String, _ name: String, _ fields: [String: Any]) {
        counts[file, default: 0] += 1
        samples.append(["file": file, "frame": counts[file] ?? 0, "name": name, "fields": fields])
    }

    /// The numbers and addresses in a value, by the names of its fields.
    static func fields(_ value: Any, _ path: String = "") -> [String: Any] {
        if let address = value as? DeviceAddress {
            return [path + ".kind": Int(address.kind.rawValue), path: address.description.lowercased()]
        }
        if let flag = value as? Bool { return [path: flag ? 1 : 0] }
        if let number = value as? any BinaryInteger { return [path: Int(truncatingIfNeeded: number)] }
        if let code = value as? any RawRepresentable, let number = code.rawValue as? any BinaryInteger {
            return [path: Int(truncatingIfNeeded: number)]
        }
        if let uuid = value as? BluetoothUUID { return [path: uuid.description.lowercased()] }
        var all: [String: Any] = [:]
        for child in Mirror(reflecting: value).children {
            guard let label = child.label else { continue }
            all.merge(fields(child.value, path.isEmpty ? label : path + "." + label)) { first, _ in first }
        }
        return all
    }

    // MARK: HCI

    private mutating func addHCI(_ packet: [UInt8], sent: Bool, _ name: String, _ fields: [String: Any]) {
        time += 1_000_000
        hciWriter.append(packet.span, direction: sent ? .sent : .received, time: time, to: &hci)
        packets.append((nil, packet))
        note("hci", name, fields)
    }

    mutating func command<C: HCICommand>(_ type: C.Type, _ text: String) throws {
        let parameters = Self.octets(text)
        let value = try C(decoding: parameters.span)
        var packet: [UInt8] = []
        try packet.append(command: value)
        var fields = Self.fields(value)
        fields["packet.opcode"] = Int(C.opcode.rawValue)
        addHCI(packet, sent: true, "HCI.\(type)", fields)
    }

    /// Adds a command whose type is a view or has a list. The caller reads its fields.
    mutating func command(_ name: String, _ opcode: HCI.Opcode, _ text: String, _ fields: [String: Any]) throws {
        let parameters = Self.octets(text)
        var packet: [UInt8] = [1]
        try packet.append(encoding: HCI.CommandPacket(opcode: opcode, parameters: parameters.span))
        var fields = fields
        fields["packet.opcode"] = Int(opcode.rawValue)
        addHCI(packet, sent: true, name, fields)
    }

    /// Adds the command too, because decoding the answer requires it.
    mutating func answer<C: HCICommand>(_ type: C.Type, _ parameters: String, _ text: String) throws {
        try command(type, parameters)
        let octets = Self.octets(text)
        let value = try C.ReturnParameters(decoding: octets.span)
        var packet: [UInt8] = []
        try packet.appendCommandComplete(of: C.self, returning: value)
        var fields = Self.fields(value)
        fields["packet.opcode"] = Int(C.opcode.rawValue)
        addHCI(packet, sent: false, "HCI.\(type).ReturnParameters", fields)
    }

    mutating func event<E: HCIEvent>(_ type: E.Type, _ text: String) throws {
        let octets = Self.octets(text)
        let value = try E(decoding: octets.span)
        var packet: [UInt8] = []
        try packet.append(event: value)
        var fields = Self.fields(value)
        fields["packet.code"] = Int(E.eventCode.rawValue)
        addHCI(packet, sent: false, "HCI.\(type)", fields)
    }

    mutating func leEvent<E: HCILEEvent>(_ type: E.Type, _ text: String) throws {
        let octets = Self.octets(text)
        let value = try E(decoding: octets.span)
        var packet: [UInt8] = []
        try packet.append(leEvent: value)
        var fields = Self.fields(value)
        fields["packet.subevent"] = Int(E.subeventCode.rawValue)
        addHCI(packet, sent: false, "HCI.\(type)", fields)
    }

    /// Adds an event whose type is a view. The caller reads its fields.
    mutating func event(_ name: String, _ packet: [UInt8], _ fields: [String: Any]) {
        addHCI(packet, sent: false, name, fields)
    }

    // MARK: L2CAP and ATT

    private mutating func addFrame(
        _ payload: [UInt8], channel: UInt16, sent: Bool, _ name: String, _ fields: [String: Any]
    ) throws {
        var frame: [UInt8] = []
        for value in [UInt16(payload.count), channel] { frame += [UInt8(value & 0xFF), UInt8(value >> 8)] }
        frame += payload
        var packet: [UInt8] = []
        try packet.append(
            acl: HCI.ACLPacket(
                connectionHandle: Self.handle, boundary: sent ? .firstNonFlushable : .firstFlushable, data: frame.span))
        addHCI(packet, sent: sent, name, fields)
    }

    mutating func signal<S: L2CAP.Signal>(_ type: S.Type, _ identifier: UInt8, _ text: String, sent: Bool = true) throws
    {
        let octets = Self.octets(text)
        let value = try S(decoding: octets.span)
        var payload: [UInt8] = []
        try payload.append(signal: value, identifier: identifier)
        var fields = Self.fields(value)
        fields["identifier"] = Int(identifier)
        fields["code"] = Int(S.code.rawValue)
        try addFrame(payload, channel: 5, sent: sent, "L2CAP.\(type)", fields)
    }

    mutating func signal(_ name: String, _ payload: [UInt8], sent: Bool, _ fields: [String: Any]) throws {
        try addFrame(payload, channel: 5, sent: sent, name, fields)
    }

    mutating func att<P: ATTPDU>(_ type: P.Type, _ text: String, sent: Bool) throws {
        let octets = Self.octets(text)
        let value = try P(decoding: octets.span)
        try att("ATT.\(type)", P.opcode, octets, sent: sent, Self.fields(value))
    }

    mutating func att(
        _ name: String, _ opcode: ATT.Opcode, _ octets: [UInt8], sent: Bool, _ fields: [String: Any]
    ) throws {
        var fields = fields
        fields["opcode"] = Int(opcode.rawValue)
        try addFrame([opcode.rawValue] + octets, channel: 4, sent: sent, name, fields)
    }

    // MARK: The air

    private mutating func addAir(
        _ pdu: [UInt8], channel: UInt8, phy: LL.PHY = .oneM, isAdvertising: Bool = false, _ name: String,
        _ fields: [String: Any]
    ) {
        time += 1_000_000
        let isAdvertising = isAdvertising || channel >= 37
        let frame = LinkLayerFrame(
            channel: channel, phy: phy, signalPower: -60,
            accessAddress: isAdvertising ? LL.advertisingAccessAddress : Self.connection,
            crcInit: isAdvertising ? LL.advertisingCRCInit : 0x33_4455,
            direction: isAdvertising ? .unspecified : .centralToPeripheral)
        airWriter.append(frame, pdu: pdu.span, time: time, comment: "", to: &air)
        packets.append((frame.accessAddress, pdu))
        note("air", name, fields)
    }

    /// Adds a complete PDU of an advertising channel. `read` returns the fields of its payload.
    mutating func advertising(_ text: String, _ name: String, _ payload: [String: Any], on channel: UInt8 = 37) throws {
        let octets = Self.octets(text)
        let header = try LL.AdvertisingHeader(decoding: octets.span.extracting(first: 2))
        var fields = Self.fields(header, "header")
        fields.merge(payload) { first, _ in first }
        addAir(octets, channel: channel, isAdvertising: true, "LL.\(name)", fields)
    }

    /// - Parameter name: the name of the PDU, where its type has another one.
    mutating func control<P: LL.ControlPayload>(_ type: P.Type, name: String? = nil, _ text: String) throws {
        let octets = Self.octets(text)
        let value = try P(decoding: octets.span)
        let pdu = [0x03, UInt8(octets.count + 1), P.opcode.rawValue] + octets
        let header = try LL.DataHeader(decoding: pdu.span.extracting(first: 2))
        var fields = Self.fields(value)
        fields["opcode"] = Int(P.opcode.rawValue)
        fields.merge(Self.fields(header, "header")) { first, _ in first }
        addAir(pdu, channel: 9, "LL.\(name ?? "\(type)")", fields)
    }

    /// Adds one PDU on another PHY than LE 1M, to test how the capture records the PHY.
    mutating func ping(on phy: LL.PHY, _ name: String, _ fields: [String: Any]) {
        addAir([0x03, 1, LL.PingReq.opcode.rawValue], channel: 9, phy: phy, "LL.PingReq on \(name)", fields)
    }

    func write(to folder: String) throws {
        try Data(hci).write(to: URL(fileURLWithPath: folder + "/samples.btsnoop"))
        try Data(air).write(to: URL(fileURLWithPath: folder + "/samples.pcapng"))
        let json = try JSONSerialization.data(withJSONObject: samples, options: [.prettyPrinted, .sortedKeys])
        try json.write(to: URL(fileURLWithPath: folder + "/samples.json"))
    }
}
