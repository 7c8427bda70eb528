import ExamplePrograms

/// The wristband of the tutorial in fourteen steps, whose heart beats once a virtual second. With the parameter `burst`, the third beat of a subscription is
/// followed by as many as the transmit queue takes.
final class WristbandProgram: WorldProgram {
    private static let period = Duration.seconds(1)
    /// The beat that is followed by a burst, and the most beats of the burst.
    private static let burst = (beat: 3, limit: 2000)

    private let wristband: WristbandPeripheral
    private let context: WorldProgramContext
    private var beats = 0
    private(set) var nextDeadline: Duration?

    init(in context: WorldProgramContext) {
        wristband = WristbandPeripheral(queue: context.queue)
        self.context = context
        let report = context.report
        wristband.onStep = { number, text in
            report(
                ProgramEvent(
                    WristbandStep.kind(number), ProgramLines.book.phrase(text), step: number,
                    swift: WristbandStep.swift(number)))
        }
        wristband.onSubscription = { [weak self] _ in self?.beats = 0 }
    }

    func start() {
        wristband.start()
        nextDeadline = context.now() + Self.period
    }

    func stop() { wristband.stop() }

    func tick() {
        beats += 1
        wristband.beat()
        if beats == Self.burst.beat, context.parameters["burst"]?.bool == true {
            for _ in 0..<Self.burst.limit where !wristband.isWaiting { wristband.beat() }
        }
        nextDeadline = context.now() + Self.period
    }
}

extension WorldProgramKind {
    static let wristband = WorldProgramKind("wristband", kind: .wearable, defaultName: "Wristband") {
        WristbandProgram(in: $0)
    }
}
