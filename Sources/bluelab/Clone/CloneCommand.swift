import ArgumentParser
import BLEValues
import BLEWire
import CoreBluetooth
import DeviceProfiles
import Foundation

struct CloneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clone",
        abstract: "Write the profile of a real device, for `bluelab serve`.",
        discussion: """
            Connects, reads all values and descriptors, and prints a profile with what the device advertises and serves. A value that \
            the device refuses is a comment in the profile.

            Example: bluelab clone wristband -o wristband.yaml
            Example: bluelab clone 5B1D7A10 | less
            """)

    @OptionGroup var options: ClientOptions
    @OptionGroup var target: DeviceOptions

    @Option(name: .shortAndLong, help: ArgumentHelp("Write the profile to this file.", valueName: "file"))
    var output: String?

    func run() async throws {
        options.apply()
        try await CentralClient.run { client in
            try await client.powerOn(target.timeout)
            let peripheral = try await DeviceSearch(wanted: target.device).find(with: client, target.timeout)
            let sighting = try await client.sighting(of: peripheral, within: min(target.timeout, .seconds(2)))
            try await client.connect(peripheral, within: target.timeout)
            var cloning = Cloning(client: client, peripheral: peripheral)
            let profile = try await cloning.profile(advertising: sighting)
            let text = profile.yaml(heading: cloning.heading)
            if let output {
                try OutputFile.write(text, to: output)
            } else if !options.json {
                try emit(text, terminator: "")
            }
            let record = CloneRecord(
                identifier: peripheral.identifier.uuidString, name: peripheral.name, file: output,
                services: profile.services.map { "\($0.uuid)" }, refused: cloning.refused, text: text)
            if options.json { try emit(jsonLine(record)) }
            let place = output.map { " to \($0)" } ?? ""
            let refused = cloning.refused.isEmpty ? "" : "; \(cloning.refused.count) values were refused"
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

/// Builds the profile of a connected device.
@MainActor
struct Cloning {
    let client: CentralClient
    let peripheral: CBPeripheral
    private(set) var refused: [String] = []
    private(set) var heading: [String] = []

    init(client: CentralClient, peripheral: CBPeripheral) {
        self.client = client
        self.peripheral = peripheral
    }

    mutating func profile(advertising sighting: Sighting?) async throws -> DeviceProfile {
        heading = ["A clone of \(ValueText.printable(peripheral.name ?? "a device without a name"))."]
        var profile = DeviceProfile()
        profile.advertising.localName = sighting?.name ?? peripheral.name
        profile.advertising.services = (sighting?.services ?? []).compactMap { BluetoothUUID($0.uuidString) }
        profile.advertising.manufacturerData = sighting?.manufacturerData.flatMap { $0.count >= 2 ? Array($0) : nil }
        profile.advertising.serviceData = (sighting?.serviceData ?? [:]).compactMap { service, data in
            BluetoothUUID(service.uuidString).map { .init(service: $0, octets: Array(data)) }
        }.sorted { "\($0.service)" < "\($1.service)" }
        let services = try await client.discoverAll(of: peripheral, descriptors: true)
        var order: [CBService] = []
        for service in services where !isOfHost(service) {
            try await append(service, to: &order, depth: 0)
        }
        for service in order {
            guard let uuid = BluetoothUUID(service.uuid.uuidString) else { continue }
            var copy = ServiceProfile(uuid: uuid.attributeForm, isPrimary: service.isPrimary)
            copy.includes = (service.includedServices ?? []).compactMap { included in
                order.firstIndex { $0 === included }
            }
            for characteristic in service.characteristics ?? [] {
                copy.characteristics.append(try await clone(characteristic))
            }
            profile.services.append(copy)
        }
        return profile
    }

    /// The host of the clone has its own Generic Access and Generic Attribute services.
    private func isOfHost(_ service: CBService) -> Bool {
        BluetoothUUID(service.uuid.uuidString)?.shortValue.map { DeviceProfile.hostServices.contains($0) } ?? false
    }

    /// Appends a service after the services that it includes.
    private func append(_ service: CBService, to order: inout [CBService], depth: Int) async throws {
        guard depth < 8, !order.contains(where: { $0 === service }) else { return }
        try await client.discoverIncluded(of: service, of: peripheral)
        for included in service.includedServices ?? [] where included !== service && !isOfHost(included) {
            if included.characteristics == nil {
                try await client.discoverCharacteristics(of: included, of: peripheral)
            }
            try await append(included, to: &order, depth: depth + 1)
        }
        if !order.contains(where: { $0 === service }) { order.append(service) }
    }

    private mutating func clone(_ characteristic: CBCharacteristic) async throws -> CharacteristicProfile {
        let uuid = BluetoothUUID(characteristic.uuid.uuidString) ?? BluetoothUUID(UInt16(0))
        var copy = CharacteristicProfile(uuid: uuid.attributeForm, properties: [])
        // The property bits that the peripheral manager accepts; it refuses broadcast and extended properties.
        copy.properties = PropertySet(rawValue: UInt8(truncatingIfNeeded: characteristic.properties.rawValue) & 0x7E)
        var comments: [String] = []
        let left = characteristic.properties.intersection([.broadcast, .extendedProperties]).names
        if !left.isEmpty { comments.append("The device also has: \(left.joined(separator: ", ")).") }
        if characteristic.properties.contains(.read) {
            do {
                let octets = try await client.read(characteristic, of: peripheral)
                (copy.format, copy.value) = (Self.format(of: octets), .constant(octets))
            } catch let failure as ToolFailure where failure.isRefusal {
                refused.append(characteristic.uuid.uuidString)
                comments.append("The value could not be read: \(failure.lines.first ?? "refused")")
                if failure.kind == .security { copy.security.insert(.encryptedRead) }
            }
        }
        for descriptor in characteristic.descriptors ?? [] {
            if let descriptor = try await clone(descriptor) { copy.descriptors.append(descriptor) }
        }
        copy.comment = comments.isEmpty ? nil : ValueText.printable(comments.joined(separator: " "))
        return copy
    }

    /// Nil for descriptors that the host of the clone defines.
    private mutating func clone(_ descriptor: CBDescriptor) async throws -> DescriptorProfile? {
        guard let uuid = BluetoothUUID(descriptor.uuid.uuidString)?.attributeForm else { return nil }
        if let short = uuid.shortValue, DescriptorProfile.hostDescriptors.contains(short) { return nil }
        let isText = uuid.shortValue == 0x2901
        var copy = DescriptorProfile(uuid: uuid, format: ValueFormat(isText ? .utf8 : .hexadecimal), value: [])
        do {
            try await client.read(descriptor, of: peripheral)
            switch descriptor.value {
            case let data as Data: copy.value = Array(data)
            case let text as String: copy.value = Array(text.utf8)
            case let number as NSNumber:
                copy.value = [
                    UInt8(truncatingIfNeeded: number.intValue), UInt8(truncatingIfNeeded: number.intValue >> 8),
                ]
            default: break
            }
        } catch let failure as ToolFailure where failure.isRefusal {
            refused.append(descriptor.uuid.uuidString)
            copy.comment = ValueText.printable("The value could not be read: \(failure.lines.first ?? "refused")")
        }
        return copy
    }

    /// Text that has only printable characters is readable in the file; other values are octets.
    nonisolated static func format(of octets: [UInt8]) -> ValueFormat {
        guard octets.count > 1, let text = String(validating: octets, as: UTF8.self), ValueText.printable(text) == text,
            !text.contains("\u{FFFD}")
        else { return ValueFormat(.hexadecimal) }
        return ValueFormat(.utf8)
    }
}

extension CentralClient {
    /// Scans until the device advertises; nil if it does not within the limit.
    func sighting(of peripheral: CBPeripheral, within limit: Duration) async throws -> Sighting? {
        var found: Sighting?
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
            if let error { throw ToolFailure.refusal(of: what, error) }
            return true
        }
    }

    /// Discovers the characteristics of a service, and their descriptors.
    func discoverCharacteristics(of service: CBService, of peripheral: CBPeripheral) async throws {
        let what = "the discovery of characteristics"
        try await request(what, { peripheral.discoverCharacteristics(nil, for: service) }) { event in
            guard case .characteristics(let answered, let error) = event, answered === service else { return false }
            if let error { throw ToolFailure.refusal(of: what, error) }
            return true
        }
        for characteristic in service.characteristics ?? [] {
            let what = "the discovery of descriptors"
            try await request(what, { peripheral.discoverDescriptors(for: characteristic) }) { event in
                guard case .descriptors(let answered, let error) = event, answered === characteristic else {
                    return false
                }
                if let error { throw ToolFailure.refusal(of: what, error) }
                return true
            }
        }
    }
}
