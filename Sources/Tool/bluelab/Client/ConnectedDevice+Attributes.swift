import BLERuntime
import CoreBluetooth
import Foundation

/// A characteristic or a descriptor that a path names.
enum FoundAttribute {
    case characteristic(CBCharacteristic)
    case descriptor(CBDescriptor)

    var uuid: CBUUID {
        switch self {
        case .characteristic(let characteristic): characteristic.uuid
        case .descriptor(let descriptor): descriptor.uuid
        }
    }
}

extension ConnectedDevice {
    /// Discovers the device's attributes and finds those that `wanted` names: characteristics, or descriptors as
    /// `CHARACTERISTIC/DESCRIPTOR` or `SERVICE/CHARACTERISTIC/DESCRIPTOR`.
    func attributes(_ wanted: [String]) async throws -> [FoundAttribute] {
        let services = try await client.discoverAll(of: peripheral, descriptors: false)
        var found: [FoundAttribute] = []
        for word in wanted { found.append(try await attribute(word, services)) }
        return found
    }

    private func attribute(_ wanted: String, _ services: [CBService]) async throws -> FoundAttribute {
        let failure: ToolError
        do {
            return .characteristic(try CharacteristicSearch(wanted: wanted).find(in: services))
        } catch let notFound as ToolError {
            failure = notFound
        }
        guard failure.kind == .notFound, let slash = wanted.lastIndex(of: "/"), slash > wanted.startIndex else {
            throw failure
        }
        let path = String(wanted[..<slash])
        let parts = wanted.split(separator: "/")
        let isDescriptor = parts.count > 2 || parts.last?.lowercased().hasPrefix("29") == true
        guard let characteristic = try? CharacteristicSearch(wanted: path).find(in: services) else {
            if parts.count > 2 { _ = try CharacteristicSearch(wanted: path).find(in: services) }
            throw failure
        }
        try await client.discoverDescriptors(of: characteristic, of: peripheral)
        let all = characteristic.descriptors ?? []
        let found = InstanceWord(String(wanted[wanted.index(after: slash)...])).select(from: all) { $0.uuid }
        if found.count == 1 { return .descriptor(found[0]) }
        if found.isEmpty, !isDescriptor { throw failure }
        let list = all.map { "\(path)/\($0.uuid.uuidString) (\(displayName($0.uuid)))" }.joined(separator: ", ")
        throw ToolError(
            .notFound,
            found.isEmpty
                ? "\(displayName(characteristic.uuid)) has no descriptor \"\(wanted[wanted.index(after: slash)...])\"."
                : "\"\(wanted)\" matches several descriptors.",
            all.isEmpty ? "It has none." : "It has: \(list).")
    }
}

extension CentralClient {
    /// Discovers the descriptors of a characteristic.
    func discoverDescriptors(of characteristic: CBCharacteristic, of peripheral: CBPeripheral) async throws {
        let what = "the discovery of descriptors"
        try await request(what, { peripheral.discoverDescriptors(for: characteristic) }) { event in
            guard case .descriptors(let answered, let error) = event, answered === characteristic else { return false }
            try refuse(error, what)
            return true
        }
    }

    /// Reads the strength of the device's signal in dBm; nil if the controller has none.
    func readRSSI(of peripheral: CBPeripheral) async throws -> Int? {
        let what = "the reading of the signal strength"
        var rssi: Int?
        try await request(what, { peripheral.readRSSI() }) { event in
            guard case .rssi(let value, let error) = event else { return false }
            // The device has no part in the reading, so it cannot have refused it.
            if (error as? CBATTError)?.code == .requestNotSupported { throw ToolError.untoldSignal(of: peripheral) }
            try refuse(error, what)
            // 127: not available (Vol 4, Part E, 7.5.4).
            rssi = value == 127 ? nil : value
            return true
        }
        return rssi
    }
}

extension ToolError {
    /// bluetoothd and gateways do not tell the signal strength of links.
    fileprivate static func untoldSignal(of peripheral: CBPeripheral) -> ToolError {
        let name = peripheral.name.map { " --name \(ShellWord.quoted(ValueText.printable($0)))" } ?? ""
        return ToolError(
            .failed, "the controller \(ProcessAdapter.choice) does not tell the signal strength of connections.",
            "A scan shows the signal strength of advertisements.", "Try: bluelab scan\(name)")
    }
}
