import ArgumentParser
import DeviceFiles
import BLEWire
import CoreBluetooth
import Foundation

struct CloneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone",
        abstract: "Write the profile of a real device, for `bluelab serve`.",
        discussion: """
            Connects, reads all values and descriptors, and prints a profile with what the device advertises and serves. A value that \
            the device refuses is a comment in the profile.

            Example: bluelab clone wristband -o wristband.yaml
            Example: bluelab clone 5B1D7A10 | bluelab serve -
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Option(name: .shortAndLong, help: ArgumentHelp("Write the profile to this file.", valueName: "file"))
    var output: String?

    func run() async throws {
        try options.apply()
        try await CentralClient.run { client in
            // A file that cannot be written ends the command before it looks for the device.
            let file = try output.map { try OutputFile($0) }
            try await client.powerOn(target.timeout)
            client.pairing = target.pairing.watch()
            let peripheral = try await DeviceQuery(wanted: target.device).find(with: client, target.timeout)
            let sighting = try await client.sighting(of: peripheral, within: min(target.timeout, .seconds(2)))
            try await client.connect(peripheral, within: target.timeout)
            let clone = DeviceClone(
                try await DeviceInventory(client: client, peripheral: peripheral).device(advertising: sighting))
            let text = clone.profile.yaml(heading: clone.heading)
            if let file {
                try file.append(Array(text.utf8))
                try file.publish()
            } else if !options.json {
                try emit(text, terminator: "")
            }
            let record = CloneRecord(
                identifier: peripheral.identifier.uuidString, name: peripheral.name, file: output,
                services: clone.profile.services.map { "\($0.uuid)" }, refused: clone.refused, text: text)
            if options.json { try emit(jsonLine(record)) }
            let place = output.map { " to \($0)" } ?? ""
            let refused = clone.refused.isEmpty ? "" : "; \(clone.refused.count) values were refused"
            printError("wrote the profile of \(ValueText.printable(peripheral.name ?? "the device"))\(place)\(refused)")
        }
    }
}

/// The output of `bluelab clone --json`.
struct CloneRecord: Encodable {
    let type = "clone"
    let identifier: String
    let name: String?
    /// The file with the profile.
    let file: String?
    let services: [String]
    /// The UUIDs of the characteristics and descriptors whose values the device refused.
    let refused: [String]
    /// The profile as YAML.
    let text: String
}

/// Discovers and reads all attributes of a connected device.
@MainActor
struct DeviceInventory {
    let client: CentralClient
    let peripheral: CBPeripheral

    func device(advertising sighting: AdvertisementEvent?) async throws -> DiscoveredDevice {
        var advertising = AdvertisingProfile()
        advertising.localName = sighting?.name ?? peripheral.name
        advertising.services = (sighting?.services ?? []).compactMap { BluetoothUUID($0.uuidString) }
        advertising.manufacturerData = sighting?.manufacturerData.flatMap { $0.count >= 2 ? Array($0) : nil }
        advertising.serviceData = (sighting?.serviceData ?? [:]).compactMap { service, data in
            BluetoothUUID(service.uuidString).map { .init(service: $0, octets: Array(data)) }
        }.sorted { "\($0.service)" < "\($1.service)" }
        var found: [CBService] = []
        for service in try await client.discoverAll(of: peripheral, descriptors: true) {
            try await append(service, to: &found)
        }
        var services: [DiscoveredDevice.Service] = []
        for service in found {
            guard let uuid = BluetoothUUID(service.uuid.uuidString) else { continue }
            var characteristics: [DiscoveredDevice.Characteristic] = []
            if !isOfHost(service) {
                for characteristic in service.characteristics ?? [] {
                    characteristics.append(try await read(characteristic))
                }
            }
            services.append(
                DiscoveredDevice.Service(
                    uuid: uuid, isPrimary: service.isPrimary,
                    includes: (service.includedServices ?? []).compactMap { included in
                        found.firstIndex { $0 === included }
                    }, characteristics: characteristics))
        }
        return DiscoveredDevice(name: peripheral.name, advertising: advertising, services: services)
    }

    /// The host of the clone has its own Generic Access and Generic Attribute services.
    private func isOfHost(_ service: CBService) -> Bool {
        BluetoothUUID(service.uuid.uuidString)?.shortValue.map { DeviceProfile.hostServices.contains($0) } ?? false
    }

    /// Appends a service and the services that it includes.
    private func append(_ service: CBService, to found: inout [CBService]) async throws {
        guard !found.contains(where: { $0 === service }) else { return }
        found.append(service)
        guard !isOfHost(service) else { return }
        try await client.discoverIncluded(of: service, of: peripheral)
        for included in service.includedServices ?? [] where included !== service && !isOfHost(included) {
            if included.characteristics == nil {
                try await client.discoverCharacteristics(of: included, of: peripheral)
            }
            try await append(included, to: &found)
        }
    }

    private func read(_ characteristic: CBCharacteristic) async throws -> DiscoveredDevice.Characteristic {
        let uuid = BluetoothUUID(characteristic.uuid.uuidString) ?? BluetoothUUID(UInt16(0))
        var copy = DiscoveredDevice.Characteristic(
            uuid: uuid, properties: UInt8(truncatingIfNeeded: characteristic.properties.rawValue), value: .unread,
            descriptors: [])
        if characteristic.properties.contains(.read) {
            copy.value = try await value { try await client.read(characteristic, of: peripheral) }
        }
        for descriptor in characteristic.descriptors ?? [] {
            guard let uuid = BluetoothUUID(descriptor.uuid.uuidString) else { continue }
            if let short = uuid.shortValue, DescriptorProfile.hostDescriptors.contains(short) { continue }
            copy.descriptors.append(
                DiscoveredDevice.Descriptor(
                    uuid: uuid,
                    value: try await value {
                        try await client.read(descriptor, of: peripheral)
                        return descriptor.octets
                    }))
        }
        return copy
    }

    /// The result of a read. A refusal is a value; other failures end the inventory.
    private func value(_ read: () async throws -> [UInt8]) async throws -> DiscoveredDevice.Value {
        do {
            return .octets(try await read())
        } catch let failure as ToolError where failure.isRefusal {
            return .refused(failure.lines.first ?? "refused", needsEncryption: failure.kind == .security)
        }
    }
}

extension CentralClient {
    /// Scans until the device advertises; nil if it does not within the limit.
    func sighting(of peripheral: CBPeripheral, within limit: Duration) async throws -> AdvertisementEvent? {
        var found: AdvertisementEvent?
        _ = try await scan(limit, reportsDuplicates: true) { sighting, other in
            guard other.identifier == peripheral.identifier else { return false }
            found = sighting
            // The scan response may follow with the rest.
            return !sighting.services.isEmpty || sighting.manufacturerData != nil
        }
        return found
    }

    /// Discovers the services that a service includes.
    func discoverIncluded(of service: CBService, of peripheral: CBPeripheral) async throws {
        let what = "the discovery of included services"
        try await request(what, { peripheral.discoverIncludedServices(nil, for: service) }) { event in
            guard case .includedServices(let answered, let error) = event, answered === service else { return false }
            if let error { throw ToolError.refusal(of: what, error) }
            return true
        }
    }

    /// Discovers the characteristics of a service, and their descriptors.
    func discoverCharacteristics(of service: CBService, of peripheral: CBPeripheral) async throws {
        let what = "the discovery of characteristics"
        try await request(what, { peripheral.discoverCharacteristics(nil, for: service) }) { event in
            guard case .characteristics(let answered, let error) = event, answered === service else { return false }
            if let error { throw ToolError.refusal(of: what, error) }
            return true
        }
        for characteristic in service.characteristics ?? [] {
            let what = "the discovery of descriptors"
            try await request(what, { peripheral.discoverDescriptors(for: characteristic) }) { event in
                guard case .descriptors(let answered, let error) = event, answered === characteristic else {
                    return false
                }
                if let error { throw ToolError.refusal(of: what, error) }
                return true
            }
        }
    }
}
