import ArgumentParser
import BLEValues
import CoreBluetooth
import Foundation

struct RSSICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rssi",
        abstract: "Measure the signal strength of a connection.",
        discussion: """
            Connects and reads the strength of the received signal in dBm: once, or repeatedly with --interval, --count, --duration or \
            --live.

            Example: bluelab rssi wristband
            Example: bluelab rssi wristband --interval 0.2 --duration 30 --plot signal.svg
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Option(
        help: ArgumentHelp("The time between two readings; 1 without this option.", valueName: "seconds"),
        transform: positiveSeconds)
    var interval: Duration?

    @OptionGroup var measurement: MeasurementOptions

    /// Whether the command reads once.
    private var isSingle: Bool {
        interval == nil && measurement.count == nil && measurement.duration == nil && !measurement.live
    }

    func run() async throws {
        try options.apply()
        try await measurement.record(
            header: "time,rssi", title: "Signal strength of \(target.device)", isJSON: options.json
        ) { recorder in
            try await CentralClient.run { client in
                try await follow(try await target.connect(client), recorder)
            }
        }
    }

    @MainActor
    private func follow(_ device: ConnectedDevice, _ recorder: MeasurementRecorder) async throws {
        let bar = BarText(isUnicode: Terminal().isUnicode, range: -100...(-30), width: 24)
        let start = ContinuousClock.now
        var count = 0
        while true {
            let rssi = try await device.client.readRSSI(of: device.peripheral)
            let time = ContinuousClock.now - start
            count += 1
            let quantity = rssi.flatMap { Quantity(number: Double($0), unit: "dBm") }
            try recorder.add(
                "RSSI", quantity, at: time,
                row: CSV.line([String(number(time / .seconds(1))), rssi.map { "\($0)" } ?? ""]))
            if options.json {
                try emit(jsonLine(RSSIRecord(device.peripheral, rssi, time)))
            } else if !recorder.isLive {
                let text = rssi.map { "\($0) dBm" } ?? say("unknown")
                let line = "\(seconds(time))  \(padded(text, 8))  \(rssi.map { bar.text(Double($0)) } ?? "")"
                try emit(isSingle ? text : line)
            }
            if isSingle || measurement.count.map({ count >= $0 }) ?? false { return }
            var pause = (interval ?? .seconds(1)) * count - (.now - start)
            if let duration = measurement.duration {
                let left = duration - (.now - start)
                if left <= .zero { return }
                pause = min(pause, left)
            }
            guard pause > .zero else { continue }
            try await device.waitWhileConnected(pause)
            if let duration = measurement.duration, .now - start >= duration { return }
        }
    }
}

extension ConnectedDevice {
    /// Waits, and throws if the link ends.
    func waitWhileConnected(_ duration: Duration) async throws {
        _ = try await client.wait(duration) { event in
            guard case .disconnected(let error) = event else { return false }
            throw ToolError.lostLink(
                "\(ValueText.printable(peripheral.name ?? "the device")) disconnected", error, peripheral)
        }
    }
}

/// A line of `bluelab rssi --json`.
struct RSSIRecord: Encodable {
    let type = "rssi"
    let identifier: String
    let name: String?
    /// dBm.
    let rssi: Int?
    /// Seconds since the first reading.
    let time: Double

    init(_ peripheral: CBPeripheral, _ rssi: Int?, _ time: Duration) {
        identifier = peripheral.identifier.uuidString
        name = peripheral.name
        self.rssi = rssi
        self.time = (time / .milliseconds(1)).rounded() / 1000
    }
}
