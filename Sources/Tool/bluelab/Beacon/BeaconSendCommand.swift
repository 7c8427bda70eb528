import ArgumentParser
import BLEBeacons
import CoreBluetooth
import Foundation

struct BeaconSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Advertise a beacon until Ctrl-C.",
        discussion: """
            Several frames take turns, as Eddystone beacons do with their telemetry. With --extended each has an advertising set of its own, \
            and all are sent at once.

              bluelab beacon send --ibeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:7
              bluelab beacon send --eddystone-url https://example.com --eddystone-tlm 3000:21.5
              bluelab beacon send --ibeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:7 --extended coded
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var frames: BeaconFrames

    @Option(help: ArgumentHelp("The time between two advertisements, 20 to 10240 ms.", valueName: "ms"))
    var interval = 100.0

    @Option(shown: "The time until the next of several frames.", valueName: "seconds", transform: positiveSeconds)
    var turn: Duration = .seconds(1)

    @Option(
        help: ArgumentHelp(
            "Send extended packets, with their data on this PHY: 1m, 2m or coded (long range). Devices without extended advertising do not hear them.",
            valueName: "phy"))
    var extended: ExtendedPHY?

    @Option(
        help: ArgumentHelp("Stop after this time. Without it the beacon runs until Ctrl-C.", valueName: "seconds"),
        transform: positiveSeconds)
    var duration: Duration?

    func validate() throws {
        guard (20...10240).contains(interval) else {
            throw ValidationError("--interval must be from 20 to 10240 ms, not \(number(interval)).")
        }
    }

    func run() async throws {
        try options.apply()
        try await BeaconSender(
            frames: frames.all, interval: .milliseconds(interval), turn: turn, extended: extended, isJSON: options.json
        ).run(for: duration)
    }
}

extension ExtendedPHY: ExpressibleByArgument {}

/// Advertises frames in turn, or each in a set of its own.
@MainActor
private final class BeaconSender: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private enum Event {
        case state(CBManagerState)
        /// - Parameter manager: Its place.
        case started(manager: Int, (any Error)?)
        case turn
        case end(ToolError?)
    }

    private let frames: [Beacon]
    private let interval: Duration
    private let turn: Duration
    private let extended: ExtendedPHY?
    /// One, or one for each frame.
    private var managers: [CBPeripheralManager] = []
    /// The number of turns of the only manager.
    private var position = 0
    private var reported: Set<Int> = []
    private let isJSON: Bool
    private let (events, continuation) = AsyncStream<Event>.makeStream()
    private let start = ContinuousClock.now

    init(frames: [Beacon], interval: Duration, turn: Duration, extended: ExtendedPHY?, isJSON: Bool) {
        self.frames = frames
        self.interval = interval
        self.turn = turn
        self.extended = extended
        self.isJSON = isJSON
    }

    func run(for duration: Duration?) async throws {
        let continuation = continuation
        let signals = TerminationSignals(on: .main) { kind in continuation.yield(.end(ToolError(kind))) }
        managers = (0..<(extended == nil ? 1 : frames.count)).map { _ in CBPeripheralManager(delegate: self, queue: nil)
        }
        // The time limits of the state and of the whole.
        let limit = timer(.seconds(10)) { .end(.lateController(.seconds(10))) }
        let end = duration.map { timer($0) { .end(nil) } }
        var nextTurn: Task<Void, any Error>?
        defer {
            for timer in [limit, end, nextTurn] { timer?.cancel() }
            for manager in managers where manager.state == .poweredOn { manager.stopAdvertising() }
            managers = []
            signals.cancel()
        }
        var isOn = false
        var loss = ControllerLoss("The beacon is sent")
        for await event in events {
            switch event {
            case .state(let state):
                if isOn, let line = try loss.take(state) { printError(line) }
                guard try isOn ? state == .poweredOn : state.isOn else {
                    nextTurn?.cancel()
                    break
                }
                isOn = true
                limit.cancel()
                for (place, manager) in managers.enumerated() {
                    // A manager that was off advertises again by itself.
                    manager.stopAdvertising()
                    send(by: place)
                }
            // The beacon is sent again when the controller is back.
            case .started(let manager, _) where managers[manager].state != .poweredOn: break
            case .started(_, let error?):
                throw ToolError(
                    .failed, "the controller refused the beacon: \(error.localizedDescription)", "Try: bluelab adapters"
                )
            case .started(let manager, nil):
                let frame = frame(of: manager)
                if reported.insert(frame).inserted { try report(frames[frame]) }
                if frames.count > 1 {
                    nextTurn?.cancel()
                    nextTurn = timer(turn) { .turn }
                }
            case .turn:
                position += 1
                for (place, manager) in managers.enumerated()
                where manager.state == .poweredOn && (extended == nil || frames[place].isTelemetry) {
                    manager.stopAdvertising()
                    send(by: place)
                }
            case .end(let failure):
                if let failure { throw failure }
                return
            }
        }
    }

    /// The frame that a manager sends now.
    private func frame(of manager: Int) -> Int { (manager + position * managers.count) % frames.count }

    private func timer(_ time: Duration, _ event: @escaping @Sendable () -> Event) -> Task<Void, any Error> {
        let continuation = continuation
        return Task {
            try await Task.sleep(for: time)
            continuation.yield(event())
        }
    }

    private func send(by manager: Int) {
        var frame = frames[frame(of: manager)]
        if case .eddystone(.telemetry(var telemetry)) = frame {
            let uptime = ContinuousClock.now - start
            telemetry.uptime = UInt32(clamping: Int(uptime / .milliseconds(100)))
            telemetry.advertisementCount = UInt32(clamping: Int(uptime / interval))
            frame = .eddystone(.telemetry(telemetry))
        }
        // The command has checked the interval.
        try? managers[manager].startAdvertising(frame, interval: interval, extended: extended)
    }

    /// Prints a frame when it is advertised for the first time.
    private func report(_ frame: Beacon) throws {
        if isJSON {
            try emit(jsonLine(SentBeaconRecord(format: frame.format, content: frame.content)))
        } else {
            let every = number(interval / .milliseconds(1))
            try emit(say("sending \(frame.format) \(frame.content) every \(every) ms"))
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        // All have the same state; that of the last one comes last.
        if peripheral === managers.last { continuation.yield(.state(peripheral.state)) }
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        guard let manager = managers.firstIndex(where: { $0 === peripheral }) else { return }
        continuation.yield(.started(manager: manager, error))
    }
}

extension Beacon {
    /// Whether its content changes with time.
    fileprivate var isTelemetry: Bool {
        if case .eddystone(.telemetry) = self { true } else { false }
    }
}

/// The output of `bluelab beacon send --json`.
struct SentBeaconRecord: Encodable {
    let type = "beacon-sent"
    let format: String
    let content: String
}
