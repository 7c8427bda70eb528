import ExamplePrograms
import Foundation

/// The central of the tutorial in twenty-three steps. The parameter `goal` is the number that it writes, as two octets.
final class WalkthroughProgram: RoomProgram {
    private let central: WalkthroughCentral

    init(in context: RoomProgramContext) {
        central = WalkthroughCentral(queue: context.queue)
        let report = context.report
        central.namePrefix = context.parameters["namePrefix"]?.string ?? WristbandPeripheral.name
        if let goal = context.parameters["goal"]?.integer.flatMap(UInt16.init(exactly:)) {
            central.valueToWrite = Data([UInt8(goal & 0xFF), UInt8(goal >> 8)])
        }
        central.onStep = { number, text in
            report(
                Happening(
                    WalkthroughStep.kind(number), text, step: number, swift: WalkthroughStep.swift(number)))
        }
        central.onNotification = { value in
            let octets = value.map { String($0, radix: 16) }.joined(separator: " ")
            report(Happening(.callback, "notification: \(octets)", swift: WalkthroughStep.swift(12)))
        }
        central.onFinish = { error in
            report(
                Happening(
                    error == nil ? .callback : .error,
                    error.map { "disconnected: \($0.localizedDescription)" } ?? "disconnected",
                    swift: "centralManager(_:didDisconnectPeripheral:error:)"))
        }
    }

    func start() { central.start() }
    func stop() { central.stop() }

    func perform(_ action: String, with arguments: RoomValue) throws -> RoomValue {
        switch action {
        case "start": central.start()
        case "stop": central.stop()
        default: throw RoomFailure.unknownAction(action)
        }
        return .null
    }
}

extension RoomProgramKind {
    static let walkthrough = RoomProgramKind("walkthrough", kind: .phone, defaultName: "Phone") {
        WalkthroughProgram(in: $0)
    }
}
