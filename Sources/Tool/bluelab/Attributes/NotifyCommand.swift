import ArgumentParser
import BLERuntime
import BLEValues
import CoreBluetooth
import Foundation

struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Print the notifications and indications of a device.",
        discussion: """
            Subscribes and prints each value with the time since the start, until Ctrl-C, --count or --duration.

            Example: bluelab notify wristband "heart rate measurement"
            Example: bluelab notify wristband "heart rate" --live
            Example: bluelab notify sensor 2A6E 2A6F --duration 60 --csv room.csv --plot room.svg --reconnect
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Argument(
        help: """
            The characteristics: UUIDs, names, parts of names, or SERVICE/CHARACTERISTIC; #2 selects the second of several instances.
            """)
    var characteristics: [String]

    @OptionGroup var measurement: MeasurementOptions

    @Flag(help: "After a lost link, connect and subscribe again, for up to 60 s.")
    var reconnect = false

    @Option(
        help: ArgumentHelp(
            "The field whose number is drawn, by a part of its name, such as \"RR\". Without this option the first number is drawn.",
            valueName: "name"))
    var field: String?

    @OptionGroup var format: FormatOption

    /// The time limit of a reconnection without --duration.
    private static let reconnectionLimit = Duration.seconds(60)

    func validate() throws { try CharacteristicSearch.check(characteristics) }

    func run() async throws {
        try options.apply()
        try await measurement.record(
            header: "time,characteristic,name,value,text,number,unit", title: "\(target.device)", isJSON: options.json
        ) { recorder in
            try await CentralClient.run { client in
                var device = try await target.connect(client)
                let listener = Listener(
                    count: measurement.count, format: format.format, field: field, isJSON: options.json,
                    showsNames: characteristics.count > 1, recorder: recorder)
                // What ended the link; nil while there is one.
                var loss: ToolError?
                var hasCheckedField = false
                while true {
                    do {
                        if let ended = loss {
                            device = try await connectAgain(device, listener, ended)
                            printError("Connected again after \(seconds(listener.time, width: 0)).")
                            loss = nil
                        }
                        let found = try await find(device)
                        if !hasCheckedField, let line = try fieldProblem(of: found.map(\.uuid)) { printError(line) }
                        hasCheckedField = true
                        return try await follow(found, device, listener)
                    } catch let failure as ToolError where failure.kind == .noAdapter {
                        recorder.gap(at: listener.time)
                        guard try await client.awaitController(after: failure, within: remaining(listener)) else {
                            return
                        }
                        // The object of the peripheral from before is no longer valid.
                        let known = client.peripheral(device.peripheral.identifier) ?? device.peripheral
                        device = ConnectedDevice(client: client, peripheral: known)
                        loss = failure
                    } catch let failure as ToolError
                        where reconnect && loss == nil && [.failed, .timeout].contains(failure.kind)
                        && device.peripheral.state == .disconnected
                    {
                        printError(ValueText.printable(failure.lines[0] + " Reconnecting."))
                        recorder.gap(at: listener.time)
                        loss = failure
                    }
                }
            }
        }
    }

    /// The time that is left, and whether --duration sets it.
    @MainActor
    private func remaining(_ listener: Listener) -> Duration {
        measurement.duration.map { max(.zero, $0 - listener.time) } ?? CentralClient.unlimited
    }

    /// Connects after a lost link.
    ///
    /// - Throws: `failure`, which ended the link, if the device does not return in time.
    @MainActor
    private func connectAgain(_ device: ConnectedDevice, _ listener: Listener, _ failure: ToolError) async throws
        -> ConnectedDevice
    {
        let end = ContinuousClock.now + min(remaining(listener), Self.reconnectionLimit)
        while true {
            let left = end - .now
            guard left > .zero else { throw failure }
            do {
                try await device.client.connect(device.peripheral, within: left)
                return device
            } catch let problem as ToolError where [.failed, .timeout].contains(problem.kind) {
                guard end > .now else { throw failure }
                // A device that restarts may refuse the first attempts.
                _ = try await device.client.wait(min(end - .now, .milliseconds(500))) { _ in false }
            }
        }
    }

    @MainActor
    private func find(_ device: ConnectedDevice) async throws -> [CBCharacteristic] {
        let services = try await device.client.discoverAll(of: device.peripheral, descriptors: false)
        return try characteristics.map { try CharacteristicSearch(wanted: $0).find(in: services) }
    }

    /// A line about `--field` if it may select nothing; nil if a characteristic has the field.
    ///
    /// - Throws: `usage` if the formats of all characteristics are known and none has it.
    func fieldProblem(of found: [CBUUID]) throws -> String? {
        guard let field else { return nil }
        let name = ValueText.printable(field)
        guard format.format == nil else {
            return "bluelab: --field \(name) has no effect on values in a format of --format."
        }
        let schemas = found.map { $0.shortValue.flatMap(Schemas.schema) }
        let names = schemas.compactMap { $0?.numberNames }.joined()
        guard !names.contains(where: { Quantity.isName($0, field) }) else { return nil }
        if let unknown = schemas.firstIndex(where: { $0 == nil }) {
            return "bluelab: --field \(name) has no effect: the fields of \(displayName(found[unknown])) are not known."
        }
        let what = found.map { displayName($0) }.joined(separator: ", ")
        throw ToolError(
            .usage, "no number of \(what) has a name with \"\(name)\".",
            names.isEmpty ? "It has no numbers." : "The names are: \(names.joined(separator: ", ")).")
    }

    /// Subscribes and prints values until the listener is complete or the duration ends.
    @MainActor
    private func follow(_ found: [CBCharacteristic], _ device: ConnectedDevice, _ listener: Listener) async throws {
        for characteristic in found where !listener.isComplete {
            try await subscribe(to: characteristic, device, listener)
        }
        if listener.isComplete { return }
        _ = try await device.client.wait(remaining(listener)) { event in
            if case .disconnected(let error) = event {
                let name = ValueText.printable(device.peripheral.name ?? "the device")
                throw ToolError.lostLink("\(name) disconnected", error, device.peripheral)
            }
            return try listener.handle(event)
        }
    }

    @MainActor
    private func subscribe(to characteristic: CBCharacteristic, _ device: ConnectedDevice, _ listener: Listener)
        async throws
    {
        let what = "the subscription to \(displayName(characteristic.uuid))"
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw ToolError(
                .refused, "\(displayName(characteristic.uuid)) supports neither notifications nor indications.",
                "Try: bluelab read \(ShellWord.quoted(target.device)) \(characteristic.uuid.uuidString)")
        }
        try await device.client.request(what, { device.peripheral.setNotifyValue(true, for: characteristic) }) {
            event in
            // Values may arrive before the other subscriptions are complete.
            _ = try listener.handle(event)
            if listener.isComplete { return true }
            guard case .notifying(let answered, let error) = event, answered === characteristic else { return false }
            try refuse(error, what)
            return true
        }
    }
}

/// Prints values as they arrive.
@MainActor
private final class Listener {
    private let limit: Int?
    private let format: ValueFormat?
    private let field: String?
    private let isJSON: Bool
    private let showsNames: Bool
    private let recorder: MeasurementRecorder
    private let start = ContinuousClock.now
    private var count = 0

    init(
        count: Int?, format: ValueFormat?, field: String?, isJSON: Bool, showsNames: Bool,
        recorder: MeasurementRecorder
    ) {
        limit = count
        self.format = format
        self.field = field
        self.isJSON = isJSON
        self.showsNames = showsNames
        self.recorder = recorder
    }

    /// The time since the connection.
    var time: Duration { .now - start }

    /// Whether the requested number of values was printed.
    var isComplete: Bool { limit.map { count >= $0 } ?? false }

    /// Prints the value of an event. Returns whether the requested number of values was printed.
    func handle(_ event: CentralClient.Event) throws -> Bool {
        guard case .value(let characteristic, nil) = event, !isComplete else { return isComplete }
        let time = self.time
        let octets = Array(characteristic.value ?? Data())
        let record = try ValueRecord(characteristic, octets, format, field: field, time: time)
        if isJSON {
            try emit(jsonLine(record))
        } else if !recorder.isLive || record.number == nil {
            let name = showsNames ? filled(record.title, 28) + " " : ""
            try emit("\(seconds(time))  \(name)\(record.text)")
        }
        count += 1
        let quantity = record.number.flatMap { Quantity(number: $0, unit: record.unit) }
        try recorder.add(record.title, quantity, at: time, row: row(record))
        return isComplete
    }

    private func row(_ record: ValueRecord) -> String {
        CSV.line([
            record.time.map { "\($0)" } ?? "", record.characteristic, record.name ?? "", record.value, record.text,
            record.number.map { "\($0)" } ?? "", record.unit ?? "",
        ])
    }
}
