import ExamplePrograms

/// The wristband of the tutorial, whose heart beats once a virtual second.
final class WristbandProgram: RoomProgram {
    private static let period = Duration.seconds(1)

    private let wristband: WristbandPeripheral
    private let context: RoomProgramContext
    private(set) var nextDeadline: Duration?

    init(in context: RoomProgramContext) {
        wristband = WristbandPeripheral(queue: context.queue)
        self.context = context
        let report = context.report
        wristband.log = { report(Happening(.note, $0)) }
    }

    func start() {
        wristband.start()
        nextDeadline = context.now() + Self.period
    }

    func stop() { wristband.stop() }

    func tick() {
        wristband.beat()
        nextDeadline = context.now() + Self.period
    }
}

extension RoomProgramKind {
    static let wristband = RoomProgramKind("wristband", kind: .wearable, defaultName: "Wristband") {
        WristbandProgram(in: $0)
    }
}
