import AdvertisementScanning
import BLEAdapter
import BLEAssignedNumbers
import BLEValues
import BLEWire
import Foundation

/// The devices that the explorer's scan received.
///
/// The reports wait in a buffer until `drain`, which keeps the cost of a report small, and the order of events independent of threads.
struct ExplorerScan {
    /// The most devices of the table.
    static let capacity = 1024
    /// The time between two looks at the reports, in nanoseconds.
    static let tickInterval: Int64 = 100_000_000
    /// The page shows how long devices are silent, so it learns of the scan this often without new reports.
    private static let reportInterval: Int64 = 1_000_000_000

    /// A look at the reports that have arrived.
    struct Look {
        /// The devices without a line in the log; nil if there are none, or it is not time to name their number.
        let unnamed: Int?
        /// Whether the page has to show the scan again.
        let isReported: Bool
    }

    /// The time of the next look at the reports, in nanoseconds; nil without a scan.
    private(set) var deadline: Int64?
    private var lastReport: Int64 = 0
    private var found = FoundDevices()
    private var scan: AdvertisementScan?
    private var devices = DeviceTable(capacity: Self.capacity)
    private var tracks: [PeerIdentifier: TimeSeries] = [:]
    /// The signal strengths of the last minute.
    private static let noSignals = TimeSeries(limit: 240, step: 250_000_000)
    private var reports: [AdvertisementReport] = []
    private var droppedCount = 0
    /// The instant that stands for the time zero of `clock`.
    private let origin: ContinuousClock.Instant
    /// Nanoseconds.
    private let clock: @Sendable () -> Int64

    init(clock: @escaping @Sendable () -> Int64) {
        self.clock = clock
        origin = .now
    }

    var count: Int { devices.devices.count }

    mutating func start(on adapter: any BluetoothAdapter) {
        let (origin, clock) = (origin, clock)
        scan = AdvertisementScan(on: adapter, allowsDuplicates: true) { origin + .nanoseconds(clock()) }
        deadline = clock() + Self.tickInterval
    }

    mutating func stop() {
        drain()
        scan = nil
        deadline = nil
    }

    /// Takes the reports that have arrived. Returns nil without a scan.
    mutating func look(at now: Int64) -> Look? {
        guard deadline != nil else { return nil }
        deadline = now + Self.tickInterval
        let unnamed = found.takeUnnamed(at: now)
        let isReported = drain() || now - lastReport >= Self.reportInterval
        if isReported { lastReport = now }
        return Look(unnamed: unnamed, isReported: isReported)
    }

    /// Whether the log has room for a line about another device that the scan found.
    mutating func admitsFoundDevice() -> Bool { found.admits(at: clock()) }

    /// Adds the reports that have arrived. Returns whether there were any.
    @discardableResult
    mutating func drain() -> Bool {
        guard let scan else { return false }
        scan.take(&reports)
        for report in reports { add(report) }
        return !reports.isEmpty
    }

    /// Adds a report.
    mutating func add(_ report: AdvertisementReport) {
        _ = devices.add(report, since: origin)
        if devices.droppedCount != droppedCount {
            droppedCount = devices.droppedCount
            let devices = devices
            tracks = tracks.filter { devices.index(of: $0.key) != nil }
        }
        guard report.discovery.rssi != 127 else { return }
        tracks[report.discovery.content.identifier, default: Self.noSignals]
            .add(Double(report.discovery.rssi), at: (report.time - origin).nanoseconds)
    }

    /// The number of devices with a history of their signal.
    var trackCount: Int { tracks.count }

    /// The name in the advertisements of a device.
    mutating func name(of identifier: UUID) -> String? {
        guard let index = devices.index(of: PeerIdentifier(identifier)) else { return nil }
        devices.decode(index)
        return devices.devices[index].name
    }

    /// Whether another device advertises the same name.
    mutating func isAmbiguous(_ name: String, of identifier: UUID) -> Bool {
        for index in devices.devices.indices { devices.decode(index) }
        return devices.devices.contains { $0.name == name && $0.identifier != identifier }
    }

    /// The selected devices, the strongest first, and the number of those beyond the limit.
    mutating func rows(_ selection: ScanSelection) -> (rows: [ScanRow], more: Int) {
        var accepted: [Int] = []
        for index in devices.devices.indices {
            devices.decode(index)
            if selection.accepts(devices.devices[index]) { accepted.append(index) }
        }
        let sorted = devices.sorted(accepted)
        return (
            sorted.prefix(ExplorerState.rowLimit).map { ScanRow(devices.devices[$0]) },
            max(0, sorted.count - ExplorerState.rowLimit)
        )
    }

    mutating func detail(of identifier: UUID) -> ScanDetail? {
        guard let index = devices.index(of: PeerIdentifier(identifier)) else { return nil }
        devices.decode(index)
        return ScanDetail(devices.devices[index], tracks[PeerIdentifier(identifier)] ?? Self.noSignals)
    }
}

extension ScanSelection {
    fileprivate func accepts(_ device: ScannedDevice) -> Bool {
        if let minimumRSSI, (device.rssi ?? Int.min) < minimumRSSI { return false }
        if let connectable, device.isConnectable != connectable { return false }
        if let name = name?.lowercased(), !name.isEmpty {
            let texts = [device.name, device.address?.description, device.content.company]
            guard texts.contains(where: { $0?.lowercased().contains(name) == true }) else { return false }
        }
        guard let service = service?.lowercased(), !service.isEmpty else { return true }
        return (device.content.services + device.content.serviceData.keys).contains { ServiceName.fits($0, service) }
    }
}

extension ScanRow {
    /// The most services of a row.
    private static let serviceLimit = 8

    fileprivate init(_ device: ScannedDevice) {
        let content = device.content
        self.init(
            id: device.identifier.uuidString, name: device.name.map(ShownText.name),
            address: device.address?.description, addressType: device.address?.typeName.rawValue,
            rssi: device.rssi, signals: device.signals.values.map(Int.init),
            services: content.services.prefix(Self.serviceLimit).map(ServiceName.text), company: content.company,
            beacon: content.beacon.map { ShownText.name(BeaconText.short($0)) }, isConnectable: device.isConnectable,
            interval: device.interval.map { ($0 / .milliseconds(1) * 10).rounded() / 10 }, count: device.count,
            lastSeen: device.lastSeen.nanoseconds)
    }
}

extension ScanDetail {
    fileprivate init(_ device: ScannedDevice, _ track: TimeSeries) {
        let published = device.content.publishedAddress
        self.init(
            row: ScanRow(device), firstSeen: device.firstSeen.nanoseconds,
            lowestRSSI: device.rssi == nil ? nil : Int(device.lowestRSSI),
            highestRSSI: device.rssi == nil ? nil : Int(device.highestRSSI),
            distance: device.distance.flatMap { $0.isFinite ? ($0 * 10).rounded() / 10 : nil },
            publishedAddress: published?.text,
            publishedIn: published?.source.rawValue, track: track.points, data: AdvertisementPart(device.data),
            scanResponse: device.scanResponse.isEmpty ? nil : AdvertisementPart(device.scanResponse))
    }
}

extension AdvertisementPart {
    /// The most octets that are shown: the longest extended advertising data has 1650 (Vol 4, Part E, 7.8.57).
    private static let limit = 1650

    fileprivate init(_ octets: [UInt8]) {
        let octets = Array(octets.prefix(Self.limit))
        self.init(
            octets: Hexadecimal.digits(octets),
            structures: zip(
                AdvertisementStructure.all(in: octets), AdvertisementStructure.all(in: octets, .chinese)
            ).map { Structure(count: $0.octets.count, text: ShownText.value($0.text, chinese: $1.text)) })
    }
}

extension Duration {
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }
}
