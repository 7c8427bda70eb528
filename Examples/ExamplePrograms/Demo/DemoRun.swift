import BLEController
import BLESimulator
import CoreBluetooth
import TerminalText

/// Runs the walkthrough central and the wristband on two virtual devices of one world, and prints what happens.
package struct DemoRun {
    private let terminal: Terminal
    /// Determines all random draws: equal seeds give equal runs.
    package var seed: UInt64 = 1
    /// The distance in metres.
    package var distance: Double = 2
    /// The file of the capture, or `-` for the standard output.
    package var capture: String?
    /// Observes the world and its two devices. Called before the programs begin.
    package var observe: ((World, [VirtualDevice]) -> Void)?
    /// The advice after a run without all steps.
    package var advice: String?
    /// A printed text in the language of the user. By default texts stay English.
    package var say: @Sendable (String) -> String = { $0 }

    package init(terminal: Terminal) { self.terminal = terminal }

    /// The value that the central writes: steps per day.
    private static let newGoal: UInt16 = 10_000
    /// The time limit of the run in virtual time.
    private static let limit = Duration.seconds(120)

    /// Runs the demo and prints its events. Returns whether all steps took place.
    ///
    /// - Throws: The error of the capture.
    package func run() async throws -> Bool {
        let clock = ContinuousClock()
        let start = clock.now
        let record = DemoRecord()
        let world = World(seed: seed)
        let band = world.addDevice(WristbandPeripheral.name, at: Position(x: distance))
        let phone = world.addDevice("Phone")
        let recording = try capture.map { try world.captureAir(to: $0, names: [band.name, phone.name]) }
        count(world, record: record)
        observe?(world, [band, phone])

        terminal.print(say("A phone and a wristband, \(meters) apart, on a virtual radio (seed \(seed))."))
        terminal.print("")
        let bandQueue = DispatchQueue(label: "wristband")
        let phoneQueue = DispatchQueue(label: "phone")
        let wristband = WristbandPeripheral(queue: bandQueue)
        wristband.log = { text in note(text, from: "wristband", at: world.now) }
        let central = makeCentral(on: phoneQueue, world: world, record: record)
        band.run { wristband.start() }
        phone.run { central.start() }

        // The world advances by a virtual second without waiting, and then the wristband measures a pulse.
        while !record.isFinished, world.now < Self.limit {
            await world.run(timeout: .seconds(1)) { record.isFinished }
            bandQueue.sync { wristband.beat() }
        }
        let goal = bandQueue.sync { wristband.goal }
        withExtendedLifetime((central, world)) {}
        let isComplete = summarize(record.current, goal: goal, virtual: world.now, real: clock.now - start)
        try recording?.finish()
        if let capture, capture != "-" { terminal.print(say("The air is in \(capture): open it with Wireshark.")) }
        return isComplete
    }

    private var meters: String { distance == 1 ? "1 metre" : "\(distance.formatted()) metres" }

    // MARK: What is printed as it happens

    private func makeCentral(on queue: DispatchQueue, world: World, record: DemoRecord) -> WalkthroughCentral {
        let central = WalkthroughCentral(queue: queue)
        central.namePrefix = WristbandPeripheral.name
        central.valueToWrite = Data([UInt8(Self.newGoal & 0xFF), UInt8(Self.newGoal >> 8)])
        let plot = BarText(isUnicode: terminal.isUnicode, range: 50...100, width: 32)
        central.onStep = { number, text in
            record.change { state in
                if state.steps.indices.contains(number - 1) { state.steps[number - 1] += 1 }
            }
            let label = terminal.styled(number < 10 ? "0\(number)" : "\(number)", .bold, .cyan)
            terminal.print("\(terminal.styled(seconds(world.now), .faint))  \(label)  \(say(text))")
        }
        central.onNotification = { value in
            guard value.count >= 2 else { return }
            let pulse = Int(value[value.startIndex + 1])
            record.change { $0.notifications.append(pulse) }
            let heart = terminal.styled(terminal.isUnicode ? "\u{2665}" : "*", .red)
            let bar = terminal.styled(plot.text(Double(pulse)), .red)
            terminal.print("\(terminal.styled(seconds(world.now), .faint))  \(heart)  \(padded("\(pulse)", 3)) \(bar)")
        }
        central.onFinish = { error in
            record.change { state in
                state.isFinished = true
                state.failure = error?.localizedDescription
            }
            let text = error.map { "disconnected: \($0.localizedDescription)" } ?? "disconnected"
            terminal.print("\(terminal.styled(seconds(world.now), .faint))      \(say(text))")
        }
        return central
    }

    private func note(_ text: String, from device: String, at time: Duration) {
        terminal.print(terminal.styled("\(seconds(time))      \(device): \(say(text))", .faint))
    }

    private func count(_ world: World, record: DemoRecord) {
        world.observeAir { packet, _ in
            record.change { state in
                state.packets += 1
                state.airTime += .nanoseconds(packet.airTime.nanoseconds)
                if packet.receptions.contains(where: { $0.outcome != .received }) { state.lostPackets += 1 }
                if packet.receptions.contains(where: { $0.outcome == .received }) { state.heardPackets += 1 }
            }
        }
    }

    // MARK: The summary

    private func summarize(_ state: DemoRecord.State, goal: UInt16, virtual: Duration, real: Duration) -> Bool {
        let missing = state.missingSteps
        let plot = Sparkline(isUnicode: terminal.isUnicode)
        terminal.print("")
        let steps = say("\(state.steps.count - missing.count) of \(state.steps.count) steps")
        let times = say(" in \(trimmed(virtual)) of virtual time, computed in \(trimmed(real))")
        terminal.print("\(terminal.styled(steps, .bold, missing.isEmpty ? .green : .red))\(times)")
        if let low = state.notifications.min(), let high = state.notifications.max() {
            let line = terminal.styled(plot.text(state.notifications.map(Double.init)), .red)
            let text = say("\(state.notifications.count) notifications, pulse \(low) to \(high) a minute")
            terminal.print("\(text)  \(line)")
        }
        let share = 100 * milliseconds(state.airTime) / max(1, milliseconds(virtual))
        let lost =
            state.heardPackets == 0
            ? "none heard" : state.lostPackets == 0 ? "none lost" : "\(state.lostPackets) lost or damaged"
        let airTime = milliseconds(state.airTime).formatted(.number.precision(.fractionLength(1)))
        let percent = share.formatted(.number.precision(.fractionLength(2)))
        terminal.print(
            say("\(state.packets) packets on air, \(lost), \(airTime) ms of air time (\(percent) %)"))

        var problems: [String] = []
        if !missing.isEmpty {
            problems.append("These steps did not happen: \(missing.map(String.init).joined(separator: ", ")).")
        }
        if let failure = state.failure { problems.append("The central gave up: \(failure)") }
        if !state.isFinished {
            problems.append("The central was not through after \(trimmed(Self.limit)) of virtual time.")
        }
        if missing.isEmpty, goal != Self.newGoal {
            problems.append("The wristband's goal is \(goal), not \(Self.newGoal).")
        }
        for problem in problems { terminal.print(terminal.styled(say(problem), .red)) }
        if !problems.isEmpty, let advice { terminal.print(say(advice)) }
        return problems.isEmpty
    }

    private func trimmed(_ duration: Duration) -> String { seconds(duration, width: 0) }

    private func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }
}
