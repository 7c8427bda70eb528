import AdvertisementScanning
import ArgumentParser
import BLEStore
import Foundation

/// Selects the devices of a scan. Each selection has an opposite with the prefix `--not-`. Repeated options mean "one of these".
struct ScanFilter: ParsableArguments {
    @Option(help: ArgumentHelp("Only devices with this text in their name.", valueName: "text"))
    var name: [String] = []

    @Option(help: ArgumentHelp("No devices with this text in their name.", valueName: "text"))
    var notName: [String] = []

    @Option(
        help: ArgumentHelp("Only devices with this service, by UUID or SIG name.", valueName: "service"),
        transform: Self.service)
    var service: [String] = []

    @Option(help: ArgumentHelp("No devices with this service.", valueName: "service"), transform: Self.service)
    var notService: [String] = []

    @Option(
        help: ArgumentHelp("Only devices with manufacturer data of this company.", valueName: "text"),
        transform: Self.company)
    var company: [String] = []

    @Option(
        help: ArgumentHelp("No devices with manufacturer data of this company.", valueName: "text"),
        transform: Self.company)
    var notCompany: [String] = []

    @Option(help: ArgumentHelp("Only devices with at least this signal strength.", valueName: "dBm"))
    var minimumRSSI: Int?

    @Option(help: ArgumentHelp("Only devices with at most this signal strength.", valueName: "dBm"))
    var maximumRSSI: Int?

    @Option(
        help: ArgumentHelp(
            "Only devices with these octets in their advertisement. A ? fits any digit, as in 4c0002??.",
            valueName: "hex"),
        transform: Self.pattern)
    var data: [OctetPattern] = []

    @Option(
        help: ArgumentHelp("No devices with these octets in their advertisement.", valueName: "hex"),
        transform: Self.pattern)
    var notData: [OctetPattern] = []

    @Flag(help: "Only connectable devices.")
    var connectable = false

    @Flag(help: "Only devices that are not connectable.")
    var notConnectable = false

    func validate() throws {
        if connectable, notConnectable {
            throw ValidationError("--connectable and --not-connectable exclude each other.")
        }
        // The range of a received signal (Vol 4, Part E, 7.7.65.2).
        for (name, value) in [("--minimum-rssi", minimumRSSI), ("--maximum-rssi", maximumRSSI)] {
            guard let value, !(-127...20).contains(value) else { continue }
            throw ValidationError("\(name) must be a signal from -127 to 20 dBm, not \(value).")
        }
        if let minimumRSSI, let maximumRSSI, minimumRSSI > maximumRSSI {
            throw ValidationError("no signal is at least \(minimumRSSI) dBm and at most \(maximumRSSI) dBm.")
        }
    }

    private static func service(_ text: String) throws -> String {
        guard ServiceName.isPossible(text.lowercased()) else {
            throw ValidationError(
                "a service must be a UUID such as 180D, the start of one, or a part of a SIG name such as \"heart rate\"; no service is \"\(text)\"."
            )
        }
        return text
    }

    private static func company(_ text: String) throws -> String {
        guard AdvertisementContent.isPossibleCompany(text.lowercased()) else {
            throw ValidationError(
                "a company must be a part of a name that the SIG assigned, such as apple; no company is \"\(text)\".")
        }
        return text
    }

    private static func pattern(_ text: String) throws -> OctetPattern {
        guard let pattern = OctetPattern(text) else {
            throw ValidationError(
                "octets must be pairs of hexadecimal digits or ?, such as 4c0002??, not \"\(text)\".")
        }
        return pattern
    }

    /// The filter with its texts prepared for many comparisons.
    var prepared: DeviceFilter { DeviceFilter(self) }
}

/// A prepared `ScanFilter`.
struct DeviceFilter {
    private let filter: ScanFilter
    private let names: [String]
    private let notNames: [String]
    private let services: [String]
    private let notServices: [String]
    private let companies: [String]
    private let notCompanies: [String]
    /// Words that the user typed into the live table.
    var words: FilterWords?
    /// The names that the user gave to devices.
    var ownNames: DeviceNames
    /// Whether a selection needs more than numbers.
    private let readsContent: Bool

    init(_ filter: ScanFilter, ownNames: DeviceNames = OwnNames.current) {
        self.filter = filter
        self.ownNames = ownNames
        names = filter.name.map { $0.lowercased() }
        notNames = filter.notName.map { $0.lowercased() }
        services = filter.service.map { $0.lowercased() }
        notServices = filter.notService.map { $0.lowercased() }
        companies = filter.company.map { $0.lowercased() }
        notCompanies = filter.notCompany.map { $0.lowercased() }
        readsContent = !(names + notNames + services + notServices + companies + notCompanies).isEmpty
    }

    /// Whether the scan shows the device. Decodes it if the filter needs that.
    func accepts(_ device: inout ScannedDevice) -> Bool {
        if let minimum = filter.minimumRSSI, (device.rssi ?? Int.min) < minimum { return false }
        if let maximum = filter.maximumRSSI, (device.rssi ?? Int.max) > maximum { return false }
        if filter.connectable, !device.isConnectable { return false }
        if filter.notConnectable, device.isConnectable { return false }
        if !filter.data.isEmpty, !filter.data.contains(where: { device.contains($0) }) { return false }
        if filter.notData.contains(where: { device.contains($0) }) { return false }
        guard readsContent || words != nil else { return true }
        device.decode()
        return acceptsContent(device) && words?.accept(device, ownNames[device.peer]) != false
    }

    private func acceptsContent(_ device: ScannedDevice) -> Bool {
        if !names.isEmpty || !notNames.isEmpty {
            let found = [device.name, ownNames[device.peer]].compactMap { $0?.lowercased() }
            func has(_ wanted: String) -> Bool { found.contains { $0.contains(wanted) } }
            if !names.isEmpty, !names.contains(where: has) { return false }
            if notNames.contains(where: has) { return false }
        }
        if !companies.isEmpty || !notCompanies.isEmpty {
            let company = device.content.company?.lowercased() ?? ""
            if !companies.isEmpty, !companies.contains(where: company.contains) { return false }
            if notCompanies.contains(where: company.contains) { return false }
        }
        let found = device.content.services + device.content.serviceData.keys
        func has(_ wanted: String) -> Bool { found.contains { ServiceName.fits($0, wanted) } }
        return (services.isEmpty || services.contains(where: has)) && !notServices.contains(where: has)
    }
}

extension ScannedDevice {
    fileprivate func contains(_ pattern: OctetPattern) -> Bool {
        pattern.occurs(in: data) || pattern.occurs(in: scanResponse)
    }
}

/// The filter that the user types into the live table: words that all have to occur in what the row shows of a device: the name and the
/// user's own, the set, the services, the beacon with all its fields, the company, the address and its type, or the identifier. A word with a `!` in
/// front must not occur. A number such as `-70` is a minimum signal in dBm.
struct FilterWords: Hashable {
    private let wanted: [String]
    private let unwanted: [String]
    private let minimumRSSI: Int?

    /// Nil without words.
    init?(_ text: String) {
        let words = text.lowercased().split(separator: " ").map(String.init)
        let signal = words.compactMap { word in word.hasPrefix("-") ? Int(word) : nil }.last
        let others = words.filter { !$0.hasPrefix("-") || Int($0) == nil }
        wanted = others.filter { !$0.hasPrefix("!") }
        unwanted = others.filter { $0.hasPrefix("!") && $0.count > 1 }.map { String($0.dropFirst()) }
        minimumRSSI = signal
        guard !wanted.isEmpty || !unwanted.isEmpty || signal != nil else { return nil }
    }

    /// - Parameters:
    ///   - device: A decoded device.
    ///   - ownName: The name that the user gave it.
    func accept(_ device: ScannedDevice, _ ownName: String? = nil) -> Bool {
        if let minimumRSSI, (device.rssi ?? Int.min) < minimumRSSI { return false }
        let content = device.content
        let texts = [
            ownName, device.name ?? say("(no name)"), content.company, content.summary,
            content.beacon.map(BeaconText.long), device.address?.description, device.address.map(ScanTable.kind),
            content.publishedAddress?.text, device.identifier.uuidString, ScanTable.set(device),
        ].compactMap { $0?.lowercased() }
        func occurs(_ word: String) -> Bool { texts.contains { $0.contains(word) } }
        return wanted.allSatisfy(occurs) && !unwanted.contains(where: occurs)
    }
}
