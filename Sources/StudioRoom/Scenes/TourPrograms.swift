import CoreBluetooth
import ExamplePrograms

/// The phone of the tour: the central in twenty-three steps.
final class TourPhone: RoomProgram {
    private let central: WalkthroughCentral
    private let report: (Happening) -> Void

    init(in context: RoomProgramContext) {
        central = WalkthroughCentral(queue: context.queue)
        let report = context.report
        self.report = report
        central.namePrefix = WristbandPeripheral.name
        // 10,000 steps a day, the lowest octet first.
        central.valueToWrite = Data([0x10, 0x27])
        central.onStep = { number, text in report(Happening(Self.kind(of: number), text, step: number)) }
        central.onNotification = { value in
            guard value.count >= 2 else { return }
            report(Happening(.callback, "pulse \(value[value.startIndex + 1])", swift: "didUpdateValueFor"))
        }
        central.onFinish = { error in
            let text = error.map { "disconnected: \($0.localizedDescription)" } ?? "disconnected"
            report(Happening(error == nil ? .callback : .error, text, swift: "didDisconnectPeripheral"))
        }
    }

    /// A step is a call or the callback that answers it.
    static func kind(of step: Int) -> Happening.Kind {
        [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22].contains(step) ? .callback : .call
    }

    func start() { central.start() }

    func stop() { central.stop() }
}

/// The wristband of the tour: the peripheral in fourteen steps, with a pulse once a second.
final class TourWristband: RoomProgram {
    /// The beat that is followed by more beats than the transmit queue takes.
    private static let burst = 3
    /// The most beats of that burst.
    private static let burstLimit = 2000

    private let wristband: WristbandPeripheral
    private let context: RoomProgramContext
    private let hasBurst: Bool
    private var beats = 0
    private(set) var nextDeadline: Duration?

    init(in context: RoomProgramContext) {
        wristband = WristbandPeripheral(queue: context.queue)
        self.context = context
        hasBurst = context.parameters["burst"]?.bool ?? false
        let report = context.report
        wristband.onStep = { number, text in report(Happening(Self.kind(of: number), text, step: number)) }
        wristband.onSubscription = { [weak self] isSubscribed in if isSubscribed { self?.beats = 0 } }
    }

    static func kind(of step: Int) -> Happening.Kind { [1, 3, 5, 8, 10, 12].contains(step) ? .call : .callback }

    func start() {
        wristband.start()
        nextDeadline = context.now() + .seconds(1)
    }

    func stop() { wristband.stop() }

    func tick() {
        beats += 1
        wristband.beat()
        if hasBurst, beats == Self.burst {
            for _ in 0..<Self.burstLimit where !wristband.isWaiting { wristband.beat() }
        }
        nextDeadline = context.now() + .seconds(1)
    }
}
