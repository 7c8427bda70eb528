import BLEAssignedNumbers
import BLEBeacons
import BLEWire
import CoreBluetooth
import Foundation

/// The data that a scan collected about one device.
struct SeenDevice {
    let identifier: UUID
    private(set) var name: String?
    private(set) var services: [CBUUID] = []
    private(set) var manufacturerData: Data?
    private(set) var serviceData: [CBUUID: Data] = [:]
    private(set) var transmitPower: Int?
    private(set) var isConnectable = false
    /// The last signal strengths, dBm, oldest first.
    private(set) var signals: [Int] = []
    /// The number of received advertisements and scan responses.
    private(set) var count = 0
    private(set) var lastSeen = Duration.zero
    /// Times between packets of different advertising events.
    private var gaps: [Duration] = []

    /// The number of values for the signal history and the interval.
    static let historyLength = 16
    /// Packets within this time belong to one advertising event. Events are at least 20 ms apart (Vol 6, Part B, 4.4.2.2).
    private static let eventSpan = Duration.milliseconds(10)

    init(identifier: UUID) { self.identifier = identifier }

    mutating func add(_ sighting: Sighting, at now: Duration) {
        name = sighting.name ?? name
        for service in sighting.services where !services.contains(service) { services.append(service) }
        manufacturerData = sighting.manufacturerData ?? manufacturerData
        serviceData.merge(sighting.serviceData) { _, new in new }
        transmitPower = sighting.transmitPower ?? transmitPower
        isConnectable = sighting.isConnectable
        if let rssi = sighting.rssi { Self.keep(rssi, in: &signals) }
        if count > 0, now - lastSeen >= Self.eventSpan { Self.keep(now - lastSeen, in: &gaps) }
        count += 1
        lastSeen = now
    }

    private static func keep<Value>(_ value: Value, in history: inout [Value]) {
        history.append(value)
        if history.count > historyLength { history.removeFirst() }
    }

    /// The last signal strength, dBm.
    var rssi: Int? { signals.last }

    /// The advertising interval: the median of the last times between packets, nil before three of them. Missed packets make it
    /// longer.
    var interval: Duration? { gaps.count < 3 ? nil : gaps.sorted()[gaps.count / 2] }

    /// The SIG name of the company in the manufacturer data.
    var company: String? {
        guard let data = manufacturerData, data.count >= 2 else { return nil }
        let identifier = UInt16(data[data.startIndex]) | UInt16(data[data.startIndex + 1]) << 8
        return AssignedNumbers.company(identifier) ?? "company \(hexadecimal(identifier, digits: 4))"
    }

    var beacon: Beacon? {
        Beacon(manufacturerData: manufacturerData, eddystoneData: serviceData[Self.eddystone])
    }

    private static var eddystone: CBUUID { CBUUID(string: hexadecimal(Eddystone.serviceUUID, digits: 4)) }

    /// The services and beacons as text.
    var content: String {
        var parts: [String] = []
        switch beacon {
        case .iBeacon(let beacon):
            parts.append("iBeacon \(beacon.uuid.uuidString.prefix(8))\u{2026} \(beacon.major).\(beacon.minor)")
        case .altBeacon(let beacon):
            parts.append("AltBeacon \(hexadecimal(Array(beacon.identifier.prefix(4)).span))\u{2026}")
        case .eddystone(.url(let url)): parts.append("Eddystone \(url.text)")
        case .eddystone(.uid(let uid)): parts.append("Eddystone \(hexadecimal(Array(uid.instance).span))")
        case .eddystone: parts.append("Eddystone")
        case nil: break
        }
        parts += services.filter { beacon == nil || $0 != Self.eddystone }.map(displayName)
        return parts.joined(separator: ", ")
    }
}
