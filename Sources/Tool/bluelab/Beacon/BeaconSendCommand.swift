import ArgumentParser
import BLEBeacons
import CoreBluetooth
import Foundation

struct BeaconSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Advertise a beacon until Ctrl-C.",
        discussion: """
            Several frames take turns, as Eddystone beacons do with their telemetry.

              bluelab beacon send --ibeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:7
              bluelab beacon send --eddystone-url https://example.com --eddystone-tlm 3000:21.5
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var frames: BeaconFrames

    @Option(help: ArgumentHelp("The time between two advertisements, 20 to 10240 ms.", valueName: "ms"))
    var interval = 100.0

    @Option(shown: "The time until the next of several frames.", valueName: "seconds", transform: positiveSeconds)
    var turn: Duration = .seconds(1)

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
            frames: frames.all, interval: .milliseconds(interval), turn: turn, isJSON: options.json
        ).run(for: duration)
    }
}

/// Advertises frames in turn.
@MainActor
private final class BeaconSender: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private enum Event {
        case state(CBManagerState)
        case started((any Error)?)
        case turn
        case end(ToolError?)
    }

    private let frames: [Beacon]
    private let interval: Duration
    private let turn: Duration
    private let isJSON: Bool
    private let (events, continuation) = AsyncStream<Event>.makeStream()
    private let start = ContinuousClock.now

    init(frames: [Beacon], interval: Duration, turn: Duration, isJSON: Bool) {
        self.frames = frames
        self.interval = interval
        self.turn = turn
        self.isJSON = isJSON
    }

    func run(for duration: Duration?) async throws {
        let continuation = continuation
        let signals = TerminationSignals(on: .main) { kind in continuation.yield(.end(ToolError(kind))) }
        let manager = CBPeripheralManager(delegate: self, queue: nil)
        // The time limits of the state and of the whole.
        let limit = timer(.seconds(10)) { .end(.lateController(.seconds(10))) }
        let end = duration.map { timer($0) { .end(nil) } }
        var nextTurn: Task<Void, any Error>?
        defer {
            for timer in [limit, end, nextTurn] { timer?.cancel() }
            if manager.state == .poweredOn { manager.stopAdvertising() }
            signals.cancel()
        }
        var isOn = false
        var position = 0
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
                send(position, with: manager)
            // The beacon is sent again when the controller is back.
            case .started where manager.state != .poweredOn: break
            case .started(let error?):
                throw ToolError(
                    .failed, "the controller refused the beacon: \(error.localizedDescription)", "Try: bluelab adapters"
                )
            case .started(nil):
                if position < frames.count { try report(frames[position]) }
                if frames.count > 1 { nextTurn = timer(turn) { .turn } }
            case .turn:
                guard manager.state == .poweredOn else { break }
                position += 1
                manager.stopAdvertising()
                send(position, with: manager)
            case .end(let failure):
                if let failure { throw failure }
                return
            }
        }
    }

    private func timer(_ time: Duration, _ event: @escaping @Sendable () -> Event) -> Task<Void, any Error> {
        let continuation = continuation
        return Task {
            try await Task.sleep(for: time)
            continuation.yield(event())
        }
    }

    private func send(_ position: Int, with manager: CBPeripheralManager) {
        var frame = frames[position % frames.count]
        if case .eddystone(.telemetry(var telemetry)) = frame {
            let uptime = ContinuousClock.now - start
            telemetry.uptime = UInt32(clamping: Int(uptime / .milliseconds(100)))
            telemetry.advertisementCount = UInt32(clamping: Int(uptime / interval))
            frame = .eddystone(.telemetry(telemetry))
        }
        // The command has checked the interval.
        try? manager.startAdvertising(frame, interval: interval)
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
        continuation.yield(.state(peripheral.state))
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        continuation.yield(.started(error))
    }
}

/// The output of `bluelab beacon send --json`.
struct SentBeaconRecord: Encodable {
    let type = "beacon-sent"
    let format: String
    let content: String
}
