import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Print the notifications and indications of a device.",
        discussion: """
            Subscribes and prints each value with the time since the start, until Ctrl-C, --count or --duration.

              bluelab notify wristband "heart rate measurement"
              bluelab notify sensor 2A6E 2A6F --duration 60 --json
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Argument(help: "The characteristics: UUIDs, names, parts of names, or SERVICE/CHARACTERISTIC.")
    var characteristics: [String]

    @Option(help: ArgumentHelp("Stop after this number of values.", valueName: "number"), transform: positiveCount)
    var count: Int?

    @Option(help: ArgumentHelp("Stop after this time.", valueName: "seconds"), transform: positiveSeconds)
    var duration: Duration?

    @OptionGroup var format: FormatOption

    func run() async throws {
        options.apply()
        try await CentralClient.run { client in
            let device = try await target.connect(client)
            let services = try await client.discoverAll(of: device.peripheral, descriptors: false)
            let found = try characteristics.map { try CharacteristicSearch(wanted: $0).find(in: services) }
            let listener = Listener(
                count: count, format: format.format, isJSON: options.json, showsNames: found.count > 1)
            for characteristic in found where !listener.isComplete {
                try await subscribe(to: characteristic, device, listener)
            }
            if listener.isComplete { return }
            _ = try await client.wait(duration ?? .seconds(1_000_000_000)) { event in
                if case .disconnected(let error) = event {
                    throw ToolFailure(
                        .failed, "the device disconnected: \(error?.localizedDescription ?? "the link was closed.")",
                        "Try: bluelab scan")
                }
                return try listener.handle(event)
            }
        }
    }

    @MainActor
    private func subscribe(to characteristic: CBCharacteristic, _ device: ConnectedDevice, _ listener: Listener)
        async throws
    {
        let what = "the subscription to \(displayName(characteristic.uuid))"
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw ToolFailure(
                .refused, "\(displayName(characteristic.uuid)) supports neither notifications nor indications.",
                "Try: bluelab read")
        }
        try await device.client.request(what, { device.peripheral.setNotifyValue(true, for: characteristic) }) {
            event in
            // Values may arrive before the other subscriptions are complete.
            _ = try listener.handle(event)
            if listener.isComplete { return true }
            guard case .notifying(let answered, let error) = event, answered === characteristic else { return false }
            if let error { throw ToolFailure.refusal(of: what, error) }
            return true
        }
    }
}

/// Prints values as they arrive.
@MainActor
private final class Listener {
    private let limit: Int?
    private let format: ValueFormat?
    private let isJSON: Bool
    private let showsNames: Bool
    private let start = ContinuousClock.now
    private var count = 0

    init(count: Int?, format: ValueFormat?, isJSON: Bool, showsNames: Bool) {
        limit = count
        self.format = format
        self.isJSON = isJSON
        self.showsNames = showsNames
    }

    /// Whether the requested number of values was printed.
    var isComplete: Bool { limit.map { count >= $0 } ?? false }

    /// Prints the value of an event. Returns whether the requested number of values was printed.
    func handle(_ event: CentralClient.Event) throws -> Bool {
        guard case .value(let characteristic, nil) = event, !isComplete else { return isComplete }
        let time = ContinuousClock.now - start
        let record = try ValueRecord(characteristic, Array(characteristic.value ?? Data()), format, time: time)
        let name = showsNames ? filled(displayName(characteristic.uuid), 28) + " " : ""
        try emit(isJSON ? jsonLine(record) : "\(seconds(time))  \(name)\(record.text)")
        count += 1
        return isComplete
    }
}
