import AdvertisementScanning
import BLEAdapter
import BLERuntime
import BLEWire
import CoreBluetooth
import Foundation

/// Finds a device by an identifier, an address, a name, or a part of one, or by what its row in `bluelab scan` shows of its services.
struct DeviceQuery {
    let wanted: String
    /// The names that the user gave to devices. A whole one selects its device alone.
    var ownNames = OwnNames.current

    enum Fit: Equatable {
        /// The whole identifier, or the whole address.
        case identifier
        /// The whole name.
        case name
        case part
        /// The name of a service or a beacon.
        case content
        case none
    }

    /// The quality of a match. Ignores case. A prefix of the identifier matches from four digits on.
    func fit(name: String?, identifier: UUID) -> Fit {
        let wanted = self.wanted.lowercased()
        let own = ownNames[PeerIdentifier(identifier)]?.lowercased()
        let identifier = identifier.uuidString.lowercased()
        if identifier == wanted || own == wanted { return .identifier }
        if name?.lowercased() == wanted { return .name }
        if wanted.count >= 4, identifier.hasPrefix(wanted) { return .part }
        guard !wanted.isEmpty else { return .none }
        return name?.lowercased().contains(wanted) == true || own?.contains(wanted) == true ? .part : .none
    }

    /// The quality of a match with a decoded device. An address is that of its packets, or one that it publishes in them. The first two
    /// octets of an address match as a part.
    func fit(_ device: ScannedDevice) -> Fit {
        let fit = fit(name: device.name, identifier: device.identifier)
        guard fit == .none || fit == .part else { return fit }
        let published = device.content.publishedAddress
        if let value = AddressDigits.value(wanted) {
            return device.address?.value == value || published?.value == value ? .identifier : fit
        }
        guard fit == .none else { return fit }
        let part = wanted.uppercased().replacing("-", with: ":")
        if part.utf8.count >= 5, part.contains(":"),
            [device.address?.description, published?.text].contains(where: { $0?.hasPrefix(part) == true })
        {
            return .part
        }
        return !wanted.isEmpty && device.content.summary.lowercased().contains(wanted.lowercased()) ? .content : .none
    }

    /// The own name of a device, else its name.
    func shownName(_ device: ScannedDevice) -> String? {
        ownNames[device.peer] ?? device.name.map(ValueText.printable)
    }

    /// The time for which a search continues after the first partial match, to find others.
    private static let secondLook = Duration.seconds(1)

    /// Searches with a scan, or in the store if `wanted` is a whole identifier or a name of the user's own.
    @MainActor
    func find(with client: CentralClient, _ limit: Duration) async throws -> CBPeripheral {
        try await locate(with: client, limit).0
    }

    /// Does the same, and returns what the scan received of the device.
    @MainActor
    func locate(with client: CentralClient, _ limit: Duration) async throws -> (CBPeripheral, ScannedDevice?) {
        if let identifier = ownNames.identifier(named: wanted)?.uuid ?? UUID(uuidString: wanted),
            let known = client.peripheral(identifier)
        {
            return (known, nil)
        }
        // A device can alternate between packets that are connectable and others.
        let candidates = DeviceCandidates(self, client, allowsDuplicates: true)
        let device = try await candidates.choose(limit, for: Self.secondLook)
        guard candidates.isConnectable(device) else { throw candidates.notConnectable(device) }
        guard let peripheral = client.peripheral(device.identifier) else {
            throw ToolError(
                .notFound, "the adapter no longer knows \(candidates.describe(device)).", "Try: bluelab scan")
        }
        return (peripheral, device)
    }

    /// Searches for a device that `accepts` selects, and observes it for some time. Returns it with the time since the start.
    @MainActor
    func observe(
        with client: CentralClient, _ limit: Duration, for observation: Duration,
        _ accepts: @escaping (inout ScannedDevice) -> Bool
    ) async throws -> (ScannedDevice, Duration) {
        let candidates = DeviceCandidates(self, client, allowsDuplicates: true, accepts)
        let device = try await candidates.choose(limit, for: observation, endsEarly: false)
        return (device, candidates.age)
    }
}

extension CentralClient {
    /// Asks the current step to look, from any thread.
    var waker: @Sendable () -> Void {
        { [weak self, clock] in clock.soon { self?.report(.woken) } }
    }

    /// The peripheral with an identifier of this host.
    func peripheral(_ identifier: UUID) -> CBPeripheral? {
        manager.retrievePeripherals(withIdentifiers: [identifier]).first
    }
}

/// The devices that a search has received, and their matches.
@MainActor
private final class DeviceCandidates {
    private let search: DeviceQuery
    private let client: CentralClient
    private let accepts: (inout ScannedDevice) -> Bool
    private let scan: AdvertisementScan
    private let start = ContinuousClock.now
    private var devices = DeviceTable()
    private var reports: [AdvertisementReport] = []
    /// The best match of each device.
    private var fits: [PeerIdentifier: DeviceQuery.Fit] = [:]
    /// The devices of which a connectable packet came.
    private var connectable: Set<PeerIdentifier> = []
    /// The most devices in each of both. Strangers' packets create entries.
    private static let limit = 16_384

    init(
        _ search: DeviceQuery, _ client: CentralClient, allowsDuplicates: Bool,
        _ accepts: @escaping (inout ScannedDevice) -> Bool = { _ in true }
    ) {
        self.search = search
        self.client = client
        self.accepts = accepts
        scan = AdvertisementScan(on: client.adapter, allowsDuplicates: allowsDuplicates, wake: client.waker)
    }

    /// The time since the start of the search.
    var age: Duration { .now - start }

    /// Waits for a match, then for `observation`, and returns the only device with the best match.
    ///
    /// - Parameter endsEarly: Whether a whole identifier or address ends the observation, because it needs no comparison.
    func choose(_ limit: Duration, for observation: Duration, endsEarly: Bool = true) async throws -> ScannedDevice {
        _ = try await look(limit) { [self] in !fits.isEmpty }
        if fits.isEmpty { throw nothingFound(limit) }
        _ = try await look(observation) { [self] in
            endsEarly && fits.contains { $0.value == .identifier && connectable.contains($0.key) }
        }
        for fit in [DeviceQuery.Fit.identifier, .name, .part, .content] {
            let found = devices.sorted(devices.devices.indices.filter { fits[devices.devices[$0].peer] == fit })
                .map { devices.devices[$0] }
            guard let first = found.first else { continue }
            guard found.count == 1 else { throw ambiguous(found) }
            let others = fits.count - 1
            if others > 0 {
                printError(
                    "bluelab: took \(describe(first)); \"\(search.wanted)\" also fits \(others == 1 ? "1 other device" : "\(others) other devices")."
                )
            }
            return first
        }
        throw nothingFound(limit)
    }

    private func look(_ limit: Duration, until isEnough: @escaping @MainActor () -> Bool) async throws -> Bool {
        if isEnough() { return true }
        return try await client.wait(limit) { [self] event in
            guard case .woken = event else { return false }
            scan.take(&reports)
            for report in reports { add(report) }
            return isEnough()
        }
    }

    private func add(_ report: AdvertisementReport) {
        let index = devices.add(report, since: start)
        devices.decode(index)
        guard devices.modify(index, accepts) else { return }
        let device = devices.devices[index]
        if device.isConnectable, connectable.count < Self.limit { connectable.insert(device.peer) }
        guard fits.count < Self.limit || fits[device.peer] != nil else { return }
        let fit = search.fit(device)
        if fit != .none { fits[device.peer] = fit }
    }

    /// Whether the device has sent a connectable packet, or may have.
    func isConnectable(_ device: ScannedDevice) -> Bool {
        connectable.contains(device.peer) || connectable.count >= Self.limit
    }

    func notConnectable(_ device: ScannedDevice) -> ToolError {
        ToolError(
            .refused, "\(describe(device)) is not connectable, as its advertisements say.",
            "Try: bluelab scan --detail \(device.peer.shortText)")
    }

    /// The name, the identifier, the address and the signal.
    func describe(_ device: ScannedDevice) -> String {
        let name = search.shownName(device) ?? say("(no name)")
        let signal = device.rssi.map { " \($0) dBm" } ?? ""
        return "\(name) \(device.peer.shortText)\(signal)"
    }

    private func ambiguous(_ found: [ScannedDevice]) -> ToolError {
        let list = found.prefix(8).map(describe).joined(separator: ", ")
        let more = found.count > 8 ? " and \(found.count - 8) more" : ""
        return ToolError(
            .notFound, "\"\(search.wanted)\" matches \(found.count) devices: \(list)\(more).",
            "Try: \(command(with: found[0].peer.shortText))")
    }

    /// This command with an identifier in place of the ambiguous text.
    private func command(with identifier: String) -> String {
        CommandDescription.ofProcess(replacing: search.wanted, with: identifier) ?? "bluelab explore \(identifier)"
    }

    private func nothingFound(_ limit: Duration) -> ToolError {
        let names = devices.sorted(Array(devices.devices.indices)).prefix(8).map { index in
            search.shownName(devices.devices[index]) ?? devices.devices[index].peer.shortText
        }
        let others = names.isEmpty ? "The scan found no device." : "The scan found: \(names.joined(separator: ", "))."
        return ToolError(
            .notFound, "no device matched \"\(search.wanted)\" within \(inSeconds(limit)).", others, "Try: bluelab scan"
        )
    }
}

/// The first eight digits of an identifier. Every command accepts them as the device.
func shortened(_ identifier: UUID) -> String { String(identifier.uuidString.prefix(8)) }
