/// A BBC micro:bit without its radio: the values of its Bluetooth profile, and what clients may write.
///
/// micro:bit 的状态：LED、按钮、加速度、温度、事件。
package struct MicrobitBoard: Sendable {
    /// The characteristics, by the four digits in their UUIDs (E95Dxxxx-251D-470A-A062-FA1922DFA9A8).
    package enum Characteristic: UInt16, CaseIterable, Sendable {
        case acceleration = 0xCA4B
        case accelerationPeriod = 0xFB24
        case buttonA = 0xDA90
        case buttonB = 0xDA91
        case lights = 0x7B77
        case text = 0x93EE
        case scrollingDelay = 0x0D2D
        case temperature = 0x9250
        case temperaturePeriod = 0x1B25
        /// The events that the program of the board receives from the client.
        case boardRequirements = 0xB84C
        case boardEvent = 0x9775
        /// The events that the client receives from the board.
        case clientRequirements = 0x23C4
        case clientEvent = 0x5404
    }

    /// An event of the board's message bus. 消息总线上的事件。
    package struct Event: Hashable, Sendable {
        package var source: UInt16
        /// 0 in a requirement is any value.
        package var value: UInt16

        package init(source: UInt16, value: UInt16) {
            self.source = source
            self.value = value
        }

        var octets: [UInt8] { source.littleEndianOctets + value.littleEndianOctets }

        func matches(_ requirement: Event) -> Bool {
            source == requirement.source && (requirement.value == 0 || requirement.value == value)
        }
    }

    package enum Refusal: Error, Hashable, Sendable {
        case wrongLength
        case wrongValue
        case notWritable
    }

    /// A change that a client has made.
    package enum Action: Hashable, Sendable {
        /// Five rows of five lights, the top one first; bit 4 is the left one. 五行，每行五位。
        case lights([UInt8])
        case text(String)
        case event(Event)
    }

    /// The requirements that the board keeps for its client.
    package static let requirementLimit = 16
    /// The octets of a text.
    package static let textLimit = 20
    /// The periods of the accelerometer, ms.
    package static let accelerationPeriods: [UInt16] = [1, 2, 5, 10, 20, 80, 160, 640]

    package private(set) var lights = [UInt8](repeating: 0, count: 5)
    package private(set) var accelerationPeriod: UInt16 = 20
    package private(set) var temperaturePeriod: UInt16 = 1000
    private var scrollingDelay: UInt16 = 120
    private var clientRequirements: [Event] = []
    /// The events that the program of the board receives from the client.
    package var boardRequirements: [Event] = []
    /// In thousandths of the gravity.
    package var acceleration: (x: Int16, y: Int16, z: Int16) = (0, 0, -1000)
    /// °C.
    package var temperature: Int8 = 21
    /// 0 released, 1 pressed, 2 pressed for long.
    package var buttons: [UInt8] = [0, 0]

    package init() {}

    /// The value of a characteristic; nil if it cannot be read.
    package func value(of characteristic: Characteristic) -> [UInt8]? {
        switch characteristic {
        case .acceleration:
            [acceleration.x, acceleration.y, acceleration.z].flatMap { UInt16(bitPattern: $0).littleEndianOctets }
        case .accelerationPeriod: accelerationPeriod.littleEndianOctets
        case .buttonA: [buttons[0]]
        case .buttonB: [buttons[1]]
        case .lights: lights
        case .scrollingDelay: scrollingDelay.littleEndianOctets
        case .temperature: [UInt8(bitPattern: temperature)]
        case .temperaturePeriod: temperaturePeriod.littleEndianOctets
        case .boardRequirements: boardRequirements.flatMap(\.octets)
        case .boardEvent: []
        case .text, .clientRequirements, .clientEvent: nil
        }
    }

    /// Takes a written value. Returns what the board does with it beside keeping it.
    package mutating func write(_ value: [UInt8], to characteristic: Characteristic) throws(Refusal) -> [Action] {
        switch characteristic {
        case .lights:
            guard value.count == 5 else { throw .wrongLength }
            lights = value.map { $0 & 0x1F }
            return [.lights(lights)]
        case .text:
            guard value.count <= Self.textLimit else { throw .wrongLength }
            return [.text(String(decoding: value, as: UTF8.self))]
        case .scrollingDelay: scrollingDelay = try number(value)
        case .accelerationPeriod:
            let period = try number(value)
            guard Self.accelerationPeriods.contains(period) else { throw .wrongValue }
            accelerationPeriod = period
        case .temperaturePeriod:
            let period = try number(value)
            guard period > 0 else { throw .wrongValue }
            temperaturePeriod = period
        case .clientRequirements:
            for requirement in try events(value) where !clientRequirements.contains(requirement) {
                guard clientRequirements.count < Self.requirementLimit else { throw .wrongValue }
                clientRequirements.append(requirement)
            }
        case .clientEvent: return try events(value).map { .event($0) }
        case .acceleration, .buttonA, .buttonB, .temperature, .boardRequirements, .boardEvent: throw .notWritable
        }
        return []
    }

    /// Whether the client has requested an event.
    package func clientWants(_ event: Event) -> Bool { clientRequirements.contains { event.matches($0) } }

    /// Handles the end of the link: removes the requirements of the client.
    package mutating func disconnected() { clientRequirements = [] }

    private func number(_ value: [UInt8]) throws(Refusal) -> UInt16 {
        guard value.count == 2, let number = value.littleEndian(UInt16.self, at: 0) else { throw .wrongLength }
        return number
    }

    private func events(_ value: [UInt8]) throws(Refusal) -> [Event] {
        guard !value.isEmpty, value.count.isMultiple(of: 4) else { throw .wrongLength }
        return stride(from: 0, to: value.count, by: 4).compactMap { offset in
            guard let source = value.littleEndian(UInt16.self, at: offset),
                let number = value.littleEndian(UInt16.self, at: offset + 2)
            else { return nil }
            return Event(source: source, value: number)
        }
    }
}
