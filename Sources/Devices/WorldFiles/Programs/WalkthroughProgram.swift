import BLEValues
import BLEWire
import CoreBluetooth
import ExamplePrograms
import Foundation
import Phrases

/// The central of the tutorial in twenty-three steps. Its parameters:
/// - `goal` is the number that it writes, as two octets.
/// - `namePrefix` is how the name of the device begins.
/// - `notifications` is the number of notifications before step 17. Without it the phone stays subscribed until the action `finish`, and searches
///   again after it lost the device.
final class WalkthroughProgram: WorldProgram {
    /// The virtual time between the loss of a device and the next search.
    private static let pause = Duration.seconds(1)

    private let central: WalkthroughCentral
    private let context: WorldProgramContext
    private let stays: Bool
    private(set) var nextDeadline: Duration?

    init(in context: WorldProgramContext) {
        central = WalkthroughCentral(queue: context.queue)
        self.context = context
        let report = context.report
        let notifications = context.parameters["notifications"]?.clamped(to: 1...1_000_000)
        stays = notifications == nil
        central.notificationCount = notifications ?? .max
        central.namePrefix = context.parameters["namePrefix"]?.string ?? WristbandPeripheral.name
        if let goal = context.parameters["goal"]?.integer.flatMap(UInt16.init(exactly:)) {
            central.valueToWrite = Data([UInt8(goal & 0xFF), UInt8(goal >> 8)])
        }
        central.onStep = { number, text in
            report(
                ProgramEvent(
                    WalkthroughStep.kind(number), ProgramLines.book.phrase(text), step: number,
                    swift: WalkthroughStep.swift(number)))
        }
        central.onNotification = { [weak central] value in
            let text = Self.text(of: value, central?.subscribed)
            report(ProgramEvent(.callback, text, swift: WalkthroughStep.swift(12)))
        }
        central.onFinish = { [weak self] error in self?.finished(error) }
    }

    /// A notified value as a person reads it, with its octets: `Heart Rate Measurement: 74 bpm (00 4a)`.
    private static func text(of value: Data, _ characteristic: CBCharacteristic?) -> Phrase {
        let octets = [UInt8](value)
        let digits = Hexadecimal.text(octets)
        guard let uuid = characteristic?.uuid else { return Phrase("notification: \(digits)", "通知：\(digits)") }
        let short = uuid.data.count == 2 ? UInt16(uuid.data[0]) << 8 | UInt16(uuid.data[1]) : nil
        let meaning = short.flatMap(Schemas.schema(of:)).flatMap { try? $0.decode(octets).summary }
        let name = short == 0x2A37 ? Phrase("Heart Rate Measurement", "心率测量") : Phrase(data: uuid.description)
        return meaning.map { Phrase("\(name): \($0) (\(digits))", "\(name)：\($0)（\(digits)）") }
            ?? Phrase("\(name): \(digits)", "\(name)：\(digits)")
    }

    private func finished(_ error: (any Error)?) {
        context.report(
            ProgramEvent(
                error == nil ? .callback : .error,
                error.map { ProgramLines.book.sentence($0.localizedDescription) }.map {
                    Phrase("disconnected: \($0)", "已断开：\($0)")
                } ?? Phrase("disconnected", "已断开"),
                swift: "centralManager(_:didDisconnectPeripheral:error:)"))
        guard stays, error != nil else { return }
        nextDeadline = context.now() + Self.pause
        context.deadlineChanged()
    }

    func start() { central.start() }
    func stop() { central.stop() }

    func tick() {
        nextDeadline = nil
        central.start()
    }

    func perform(_ action: String, with arguments: WorldValue) throws -> WorldValue {
        nextDeadline = nil
        switch action {
        case "start": central.start()
        case "finish": central.finishSteps()
        case "stop": central.stop()
        default: throw PhrasedError.unknownAction(action)
        }
        return .null
    }
}

extension WorldProgramKind {
    static let walkthrough = WorldProgramKind(
        "walkthrough", kind: .phone, defaultName: "Phone",
        actions: [
            WorldProgramAction("finish", in: [.connected]),
            WorldProgramAction("stop", in: [.connecting, .connected, .scanning]),
            WorldProgramAction("start", in: [.idle]),
        ]
    ) {
        WalkthroughProgram(in: $0)
    }
}
