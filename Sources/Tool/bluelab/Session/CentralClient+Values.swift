import CoreBluetooth
import Foundation

extension CentralClient {
    /// Writes a value of up to 512 octets.
    ///
    /// - Parameter response: Whether the device responds; nil: if the characteristic supports it.
    func write(
        _ octets: [UInt8], to characteristic: CBCharacteristic, of peripheral: CBPeripheral, response: Bool?
    ) async throws {
        let what = "the write of \(displayName(characteristic.uuid))"
        let properties = characteristic.properties
        guard response ?? (properties.contains(.write) || !properties.contains(.writeWithoutResponse)) else {
            try await writeWithoutResponse(octets, to: characteristic, of: peripheral)
            return
        }
        // Attribute values have at most 512 octets (Vol 3, Part F, 3.2.9).
        guard octets.count <= 512 else {
            throw ToolError(.usage, "a value has at most 512 octets; this one has \(octets.count).")
        }
        try await request(
            what, { peripheral.writeValue(Data(octets), for: characteristic, type: .withResponse) }
        ) { event in
            guard case .written(let answered, let error) = event, answered === characteristic else { return false }
            try refuse(error, what)
            return true
        }
    }

    private func writeWithoutResponse(
        _ octets: [UInt8], to characteristic: CBCharacteristic, of peripheral: CBPeripheral
    ) async throws {
        let name = displayName(characteristic.uuid)
        guard characteristic.properties.contains(.writeWithoutResponse) else {
            throw ToolError(.refused, "\(name) does not support writes without response.")
        }
        let limit = peripheral.maximumWriteValueLength(for: .withoutResponse)
        guard octets.count <= limit else {
            throw ToolError(
                .usage,
                "a write without response carries at most \(limit) octets on this link; this one has \(octets.count).")
        }
        if !peripheral.canSendWriteWithoutResponse {
            try await request("the write of \(name)", {}) { event in
                if case .readyForWriteWithoutResponse = event { return true }
                return peripheral.canSendWriteWithoutResponse
            }
        }
        peripheral.writeValue(Data(octets), for: characteristic, type: .withoutResponse)
    }

    /// Turns notifications or indications on or off.
    func setNotifying(_ isOn: Bool, _ characteristic: CBCharacteristic, of peripheral: CBPeripheral) async throws {
        let name = displayName(characteristic.uuid)
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw ToolError(.refused, "\(name) supports neither notifications nor indications.")
        }
        let what = "the subscription to \(name)"
        try await request(what, { peripheral.setNotifyValue(isOn, for: characteristic) }) { event in
            guard case .notifying(let answered, let error) = event, answered === characteristic else { return false }
            try refuse(error, what)
            return true
        }
    }
}
