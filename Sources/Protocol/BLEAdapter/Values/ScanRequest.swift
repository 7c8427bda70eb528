import BLEWire

package struct ScanRequest: Hashable, Sendable {
    /// Report devices that advertise one of these services; an empty list selects every device.
    package var services: [BluetoothUUID]
    /// Report also devices that solicit one of these services.
    package var solicitedServices: [BluetoothUUID]
    /// Report every packet. Otherwise report each device once, and again when its content changes.
    package var allowDuplicates: Bool
    package init(
        services: [BluetoothUUID] = [], solicitedServices: [BluetoothUUID] = [], allowDuplicates: Bool = false
    ) {
        self.services = services
        self.solicitedServices = solicitedServices
        self.allowDuplicates = allowDuplicates
    }
}

extension ScanRequest {
    /// Whether this request selects a device with this advertising data and scan response.
    package func selects(_ data: Span<UInt8>, scanResponse: Span<UInt8>) -> Bool {
        if services.isEmpty, solicitedServices.isEmpty { return true }
        for service in services where AD.contains(service: service, in: data, scanResponse: scanResponse) {
            return true
        }
        for service in solicitedServices where AD.solicits(service: service, in: data, scanResponse: scanResponse) {
            return true
        }
        return false
    }
}
