/// A LEGO hub without its radio: messages of the LEGO Wireless Protocol 3 go in, answers come out.
///
/// LEGO 集线器的协议（LWP3）：属性、端口、输出命令、端口数值。
package struct LEGOHubMachine: Sendable {
    /// The types of messages.
    package enum MessageType: UInt8, Sendable {
        case properties = 0x01
        case actions = 0x02
        case attachedIO = 0x04
        case error = 0x05
        case portInformationRequest = 0x21
        case inputFormatSetup = 0x41
        case portInformation = 0x43
        case portValue = 0x45
        case inputFormat = 0x47
        case output = 0x81
        case outputFeedback = 0x82
    }

    private enum Failure: UInt8, Error {
        case notRecognized = 5
        case invalidUse = 6
    }

    /// A port with its device.
    package struct Port: Sendable {
        package let number: UInt8
        /// The kind of the device, such as 2 for a train motor.
        package let device: UInt16
        /// Bit 0: takes output, bit 1: has input.
        let capabilities: UInt8
        let modeCount: UInt8
        /// The value of the device: power of a motor in percent, colour of the light, milliamperes, millivolts.
        package fileprivate(set) var value: Int32 = 0
        fileprivate var mode: UInt8 = 0
        fileprivate var delta: UInt32 = 1
        fileprivate var sends = false
        fileprivate var lastSent: Int32?

        /// A number of one octet, or of two for a sensor.
        fileprivate var octets: [UInt8] {
            capabilities & 2 != 0
                ? UInt16(truncatingIfNeeded: value).littleEndianOctets : [UInt8(truncatingIfNeeded: value)]
        }
    }

    /// A change that a client has made.
    package enum Action: Hashable, Sendable {
        /// The power of a motor, -100 to 100 percent.
        case power(port: UInt8, Int)
        /// The colour of the hub's light, 0 to 10.
        case colour(UInt8)
        case renamed(String)
        case switchOff
        case disconnect
    }

    package static let motorPort: UInt8 = 0x00
    package static let lightPort: UInt8 = 0x32
    package static let currentPort: UInt8 = 0x3B
    package static let voltagePort: UInt8 = 0x3C
    package static let nameLimit = 14

    package private(set) var name: String
    package private(set) var ports = [
        Port(number: motorPort, device: 0x0002, capabilities: 1, modeCount: 1),
        Port(number: lightPort, device: 0x0017, capabilities: 1, modeCount: 2),
        Port(number: currentPort, device: 0x0015, capabilities: 2, modeCount: 1),
        Port(number: voltagePort, device: 0x0014, capabilities: 2, modeCount: 1, value: 7500),
    ]
    /// The change that the last message made; nil if there was none.
    package private(set) var action: Action?
    private let defaultName: String
    private var battery: UInt8 = 100
    private var isPressed = false
    /// The properties whose changes the client has requested.
    private var watched: Set<UInt8> = []

    package init(name: String) {
        defaultName = String(decoding: Array(name.utf8.prefix(Self.nameLimit)), as: UTF8.self)
        self.name = defaultName
    }

    /// Makes a message. One of 127 octets and more has two octets for its length.
    package static func message(_ type: MessageType, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 3
        guard length > 127 else { return [UInt8(length), 0, type.rawValue] + payload }
        let long = length + 1
        return [UInt8(long & 0x7F) | 0x80, UInt8(truncatingIfNeeded: long >> 7), 0, type.rawValue] + payload
    }

    /// A client has connected: the messages about what is attached. 客户端连接后报告各端口。
    package mutating func connected() -> [[UInt8]] {
        watched = []
        for index in ports.indices { (ports[index].sends, ports[index].lastSent) = (false, nil) }
        return ports.map { port in
            Self.message(
                .attachedIO,
                [port.number, 1] + port.device.littleEndianOctets + UInt32(0x1000_0000).littleEndianOctets
                    + UInt32(0x1000_0000).littleEndianOctets)
        }
    }

    /// Takes a message of the client, and returns the messages to it.
    package mutating func receive(_ message: [UInt8]) -> [[UInt8]] {
        action = nil
        let isLong = (message.first ?? 0) & 0x80 != 0
        guard message.count >= (isLong ? 4 : 3) else { return [] }
        let length = isLong ? Int(message[0] & 0x7F) | Int(message[1]) << 7 : Int(message[0])
        let type = message[isLong ? 3 : 2]
        do throws(Failure) {
            guard length == message.count, message[isLong ? 2 : 1] == 0 else { throw .invalidUse }
            return try answer(type, Array(message.dropFirst(isLong ? 4 : 3)))
        } catch {
            return [Self.message(.error, [type, error.rawValue])]
        }
    }

    private mutating func answer(_ type: UInt8, _ payload: [UInt8]) throws(Failure) -> [[UInt8]] {
        switch MessageType(rawValue: type) {
        case .properties: return try property(payload)
        case .actions:
            switch payload {
            case [1]:
                action = .switchOff
                return [Self.message(.actions, [0x30])]
            case [2]:
                action = .disconnect
                return [Self.message(.actions, [0x31])]
            default: throw .invalidUse
            }
        case .portInformationRequest:
            guard payload.count == 2 else { throw .invalidUse }
            return [try information(try index(payload[0]), payload[1])]
        case .inputFormatSetup: return try setFormat(payload)
        case .output: return try output(payload)
        default: throw .notRecognized
        }
    }

    // MARK: Hub properties 属性

    private mutating func property(_ payload: [UInt8]) throws(Failure) -> [[UInt8]] {
        guard payload.count >= 2, let value = value(ofProperty: payload[0]) else { throw .invalidUse }
        let canChange = [0x01, 0x02, 0x06].contains(payload[0])
        switch payload[1] {
        case 1 where payload[0] == 0x01:
            let octets = payload.dropFirst(2)
            guard (1...Self.nameLimit).contains(octets.count), let name = String(validating: octets, as: UTF8.self)
            else { throw .invalidUse }
            return rename(name)
        case 4 where payload[0] == 0x01: return rename(defaultName)
        case 2 where canChange:
            watched.insert(payload[0])
            return [Self.update(payload[0], value)]
        case 3 where canChange:
            watched.remove(payload[0])
            return []
        case 5: return [Self.update(payload[0], value)]
        default: throw .invalidUse
        }
    }

    /// Returns a message if the client has requested the changes of the name.
    private mutating func rename(_ name: String) -> [[UInt8]] {
        self.name = name
        action = .renamed(name)
        return watched.contains(0x01) ? [Self.update(0x01, Array(name.utf8))] : []
    }

    private static func update(_ property: UInt8, _ value: [UInt8]) -> [UInt8] {
        message(.properties, [property, 6] + value)
    }

    private func value(ofProperty property: UInt8) -> [UInt8]? {
        switch property {
        case 0x01: Array(name.utf8)
        case 0x02: [isPressed ? 1 : 0]
        // Versions 1.0.00.0000.
        case 0x03, 0x04: UInt32(0x1000_0000).littleEndianOctets
        case 0x06: [battery]
        case 0x08: Array("LEGO System A/S".utf8)
        // Version 3.0 of the protocol.
        case 0x0A: UInt16(0x0300).littleEndianOctets
        // A hub with two ports.
        case 0x0B: [0x41]
        default: nil
        }
    }

    /// The battery has another charge. Returns a message if the client has requested it.
    package mutating func charge(to percent: UInt8) -> [[UInt8]] {
        battery = min(percent, 100)
        return watched.contains(0x06) ? [Self.update(0x06, [battery])] : []
    }

    /// The button of the hub.
    package mutating func press(_ isPressed: Bool) -> [[UInt8]] {
        self.isPressed = isPressed
        return watched.contains(0x02) ? [Self.update(0x02, [isPressed ? 1 : 0])] : []
    }

    // MARK: Ports 端口

    private func index(_ number: UInt8) throws(Failure) -> Int {
        guard let index = ports.firstIndex(where: { $0.number == number }) else { throw .invalidUse }
        return index
    }

    private func information(_ index: Int, _ type: UInt8) throws(Failure) -> [UInt8] {
        let port = ports[index]
        switch type {
        case 0: return Self.message(.portValue, [port.number] + port.octets)
        case 1:
            let modes = UInt16(1) << port.modeCount - 1
            return Self.message(
                .portInformation,
                [port.number, 1, port.capabilities, port.modeCount]
                    + (port.capabilities & 2 != 0 ? modes : 0).littleEndianOctets
                    + (port.capabilities & 1 != 0 ? modes : 0).littleEndianOctets)
        default: throw .invalidUse
        }
    }

    private mutating func setFormat(_ payload: [UInt8]) throws(Failure) -> [[UInt8]] {
        guard payload.count == 7, let delta = payload.littleEndian(UInt32.self, at: 2), payload[6] <= 1 else {
            throw .invalidUse
        }
        let index = try index(payload[0])
        guard payload[1] < ports[index].modeCount else { throw .invalidUse }
        (ports[index].mode, ports[index].delta, ports[index].sends) = (payload[1], delta, payload[6] == 1)
        ports[index].lastSent = nil
        return [Self.message(.inputFormat, payload)] + values(index)
    }

    /// A sensor has another value. Returns a message if it changed by the client's delta.
    package mutating func measure(_ value: UInt16, port number: UInt8) -> [[UInt8]] {
        guard let index = ports.firstIndex(where: { $0.number == number }) else { return [] }
        ports[index].value = Int32(value)
        return values(index)
    }

    private mutating func values(_ index: Int) -> [[UInt8]] {
        let port = ports[index]
        guard port.sends else { return [] }
        if let last = port.lastSent, (port.value - last).magnitude < port.delta { return [] }
        ports[index].lastSent = port.value
        return [Self.message(.portValue, [port.number] + port.octets)]
    }

    private mutating func output(_ payload: [UInt8]) throws(Failure) -> [[UInt8]] {
        guard payload.count >= 3 else { throw .invalidUse }
        let index = try index(payload[0])
        switch (payload[2], Array(payload[3...]), ports[index].number) {
        // The power of a motor; 127 brakes.
        case (0x51, let data, Self.motorPort) where data.count == 2 && data[0] == 0: try setPower(index, data[1])
        case (0x01, let data, Self.motorPort) where data.count == 1: try setPower(index, data[0])
        case (0x51, let data, Self.lightPort) where data.count == 2 && data[0] == 0 && data[1] <= 10:
            ports[index].value = Int32(data[1])
            action = .colour(data[1])
        default: throw .invalidUse
        }
        // The client wants to know: completed, and idle. 需要反馈时报告已完成。
        return payload[1] & 0x0F == 1 ? [Self.message(.outputFeedback, [payload[0], 0x0A])] : []
    }

    private mutating func setPower(_ index: Int, _ octet: UInt8) throws(Failure) {
        let power = octet == 127 ? 0 : Int(Int8(bitPattern: octet))
        guard (-100...100).contains(power) else { throw .invalidUse }
        ports[index].value = Int32(power)
        action = .power(port: ports[index].number, power)
    }
}
