import ArgumentParser
import BLEBeacons
import CoreBluetooth
import Foundation

struct BeaconWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "List beacons with their distance, and report when this machine enters and leaves regions.",
        discussion: """
            The distance follows from the measured power that a beacon advertises and from the smoothed signal strength. Walls and \
            bodies change it by a factor of two and more.

              bluelab beacon watch --duration 10
              bluelab beacon watch --region E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1 --exit-delay 10 --json
            """)

    @OptionGroup var options: ClientOptions

    @Option(
        help: ArgumentHelp(
            "A region: all iBeacons of a UUID, of one of its groups, or a single one. Repeat the option for several regions. With a region only its beacons are listed.",
            valueName: "uuid[:major[:minor]]"), transform: Self.region)
    var region: [BeaconRegion] = []

    @Option(
        shown: "The time without an advertisement after which a region is left.", valueName: "seconds",
        transform: positiveSeconds)
    var exitDelay: Duration = .seconds(30)

    @Option(
        help: ArgumentHelp("The exponent of the path loss: 2 in free space, up to 4 indoors.", valueName: "number"))
    var pathLoss = 2.0

    @Option(shown: "The time between two lines of one beacon.", valueName: "seconds", transform: positiveSeconds)
    var every: Duration = .seconds(1)

    @Option(
        help: ArgumentHelp("Stop after this time. Without it the command runs until Ctrl-C.", valueName: "seconds"),
        transform: positiveSeconds)
    var duration: Duration?

    @Option(
        help: ArgumentHelp("Stop after this number of lines of beacons.", valueName: "number"), transform: positiveCount
    )
    var count: Int?

    func validate() throws {
        guard pathLoss.isFinite, (1...10).contains(pathLoss) else {
            throw ValidationError("--path-loss must be from 1 to 10, not \(number(pathLoss)).")
        }
    }

    func run() async throws {
        try options.apply()
        try await CentralClient.run { client in
            let watch = BeaconWatch(self)
            try await client.powerOn(.seconds(10))
            watch.begin { client.interrupt($0) }
            defer { watch.end() }
            let end = ContinuousClock.now + (duration ?? CentralClient.unlimited)
            while end > .now {
                do {
                    _ = try await client.scan(end - .now, reportsDuplicates: true) { sighting, _ in
                        try watch.add(sighting)
                    }
                    break
                } catch let loss as ToolError where loss.kind == .noAdapter {
                    _ = try await client.awaitController(after: loss, within: end - .now)
                }
            }
            if let failure = watch.failure { throw failure }
        }
    }

    /// `UUID`, `UUID:MAJOR` or `UUID:MAJOR:MINOR`.
    private static func region(_ text: String) throws -> BeaconRegion {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let numbers = parts.dropFirst().compactMap { UInt16($0) }
        guard let uuid = UUID(uuidString: parts[0]), parts.count <= 3, numbers.count == parts.count - 1 else {
            throw ValidationError("a region must be UUID, UUID:MAJOR or UUID:MAJOR:MINOR, not \"\(text)\".")
        }
        return BeaconRegion(uuid: uuid, major: numbers.first, minor: numbers.count > 1 ? numbers[1] : nil)
    }
}

/// Ranges the beacons in range, and monitors the regions.
@MainActor
private final class BeaconWatch {
    private struct Observed {
        var estimator: RangeEstimator
        var lastLine: Duration?
    }

    private struct Key: Hashable {
        let identifier: UUID
        let format: String
    }

    /// Strangers' advertisements create entries, so the table has a limit. The longest unseen half is removed at it.
    private static let limit = 4096

    private let command: BeaconWatchCommand
    private var observed: [Key: Observed] = [:]
    private var monitor: RegionMonitor
    private let start = ContinuousClock.now
    private var lines = 0
    private var ticker: Task<Void, any Error>?
    /// The failure of an output outside of a sighting.
    private(set) var failure: ToolError?

    init(_ command: BeaconWatchCommand) {
        self.command = command
        monitor = RegionMonitor(command.region, exitDelay: command.exitDelay)
    }

    private var now: Duration { ContinuousClock.now - start }

    /// Reports regions that are left while no beacon advertises.
    func begin(fail: @escaping @MainActor (ToolError) -> Void) {
        guard !command.region.isEmpty else { return }
        ticker = Task { @MainActor [weak self] in
            while let self {
                try await Task.sleep(
                    for: max(.milliseconds(10), (self.monitor.nextDeadline ?? self.now + .seconds(1)) - self.now))
                do {
                    for event in self.monitor.advance(to: self.now) { try self.report(event) }
                } catch let failure as ToolError {
                    self.failure = failure
                    return fail(failure)
                }
            }
        }
    }

    func end() { ticker?.cancel() }

    /// Takes a sighting. Returns whether the requested number of lines is printed.
    func add(_ sighting: AdvertisementEvent) throws -> Bool {
        guard
            let beacon = Beacon(
                manufacturerData: sighting.manufacturerData,
                eddystoneData: sighting.serviceData[CBUUID(string: "FEAA")])
        else { return false }
        let now = now
        if case .iBeacon(let iBeacon) = beacon {
            for event in monitor.observe(iBeacon, at: now) { try report(event) }
        }
        guard command.region.isEmpty || isInRegion(beacon) else { return false }
        let key = Key(identifier: sighting.identifier, format: beacon.format)
        if observed[key] == nil, observed.count >= Self.limit { forget() }
        var entry = observed[key] ?? Observed(estimator: RangeEstimator(pathLossExponent: command.pathLoss))
        if let rssi = sighting.rssi { entry.estimator.add(rssi: rssi) }
        let isDue = entry.lastLine.map { now - $0 >= command.every } ?? true
        if isDue { entry.lastLine = now }
        observed[key] = entry
        guard isDue else { return false }
        let record = BeaconRecord(
            beacon, sighting, distance: beacon.measuredPower.flatMap { entry.estimator.distance(measuredPower: $0) },
            at: now)
        try emit(command.options.json ? jsonLine(record) : record.text)
        lines += 1
        return command.count.map { lines >= $0 } ?? false
    }

    private func isInRegion(_ beacon: Beacon) -> Bool {
        guard case .iBeacon(let beacon) = beacon else { return false }
        return command.region.contains { $0.contains(beacon) }
    }

    private func forget() {
        let times = observed.values.map { $0.lastLine ?? .zero }.sorted()
        let middle = times[times.count / 2]
        observed = observed.filter { ($0.value.lastLine ?? .zero) > middle }
    }

    private func report(_ event: RegionMonitor.Event) throws {
        let (region, isInside) =
            switch event {
            case .entered(let region): (region, true)
            case .left(let region): (region, false)
            }
        let record = RegionRecord(region, isInside: isInside, at: now)
        try emit(command.options.json ? jsonLine(record) : record.text)
    }
}

/// A line of `bluelab beacon watch`.
struct BeaconRecord: Encodable {
    let type = "beacon"
    /// Seconds since the start of the command.
    let time: Double
    let identifier: String
    let format: String
    let content: String
    /// dBm.
    let rssi: Int?
    /// dBm at 1 m.
    let measuredPower: Int?
    /// Metres.
    let distance: Double?
    let proximity: String

    init(_ beacon: Beacon, _ sighting: AdvertisementEvent, distance: Double?, at time: Duration) {
        self.time = (time / .milliseconds(1)).rounded() / 1000
        identifier = sighting.identifier.uuidString
        format = beacon.format
        content = beacon.content
        rssi = sighting.rssi
        measuredPower = beacon.measuredPower
        self.distance = distance.map { ($0 * 100).rounded() / 100 }
        proximity = "\(Proximity(distance: distance))"
    }

    var text: String {
        let distance = distance.map { "~\(number($0 < 10 ? $0 : $0.rounded())) m" } ?? "-"
        let signal = rssi.map(String.init) ?? "-"
        return
            "\(seconds(.seconds(time)))  \(padded(signal, 4)) dBm  \(padded(distance, 8))  \(filled(say(proximity), 9))  "
            + "\(filled(format, 14)) \(content)"
    }
}

/// A region that was entered or left.
struct RegionRecord: Encodable {
    let type = "region"
    /// Seconds since the start of the command.
    let time: Double
    /// `entered` or `left`.
    let event: String
    let uuid: String
    let major: UInt16?
    let minor: UInt16?

    init(_ region: BeaconRegion, isInside: Bool, at time: Duration) {
        self.time = (time / .milliseconds(1)).rounded() / 1000
        event = isInside ? "entered" : "left"
        uuid = region.uuid.uuidString
        major = region.major
        minor = region.minor
    }

    var text: String {
        let numbers = [major, minor].compactMap { $0 }.map { ":\($0)" }.joined()
        return "\(seconds(.seconds(time)))  \(say("\(event) the region \(uuid)\(numbers)"))"
    }
}
