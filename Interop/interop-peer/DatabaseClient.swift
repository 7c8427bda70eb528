import CoreBluetooth

/// The client of the topic database: long values with the smallest ATT_MTU, an included service, and a service that the server adds during the
/// connection.
@MainActor
final class DatabaseClient: PeerClient, @preconcurrency CBPeripheralDelegate {
    private var isWritten = false
    private var isChanged = false

    init(report: Report) { super.init(report: report, services: [Plan.service, Plan.includedService]) }

    // MARK: Services

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if isChanged {
            guard let late = service(Plan.lateService) else {
                report.abandon("discovery does not find the late service")
            }
            return peripheral.discoverCharacteristics(nil, for: late)
        }
        guard let main = service(Plan.service) else { report.abandon("no service") }
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        report.compare("ATT_MTU 23", length, Plan.smallestMTU - 3, "\(length) octets fit in a write command")
        report.wait(for: "the included services")
        peripheral.discoverIncludedServices(nil, for: main)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)
    {
        guard let included = service.includedServices?.first(where: { $0.uuid == Plan.includedService }) else {
            report.abandon("the service includes \(service.includedServices?.map(\.uuid.uuidString) ?? [])")
        }
        peripheral.discoverCharacteristics(nil, for: included)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        let uuid =
            switch service.uuid {
            case Plan.includedService: Plan.includedCharacteristic
            case Plan.lateService: Plan.lateCharacteristic
            default: Plan.long
            }
        guard let found = service.characteristics?.first(where: { $0.uuid == uuid }) else {
            report.abandon("\(service.uuid) has no characteristic \(uuid)")
        }
        report.wait(for: "the value of \(uuid)")
        peripheral.readValue(for: found)
    }

    // MARK: Values

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let value = characteristic.value ?? Data()
        switch characteristic.uuid {
        case Plan.includedCharacteristic:
            report.compare("included service", value, Plan.includedValue, "found by its inclusion, and read")
            guard let main = service(Plan.service) else { report.abandon("no service") }
            peripheral.discoverCharacteristics(nil, for: main)
        case Plan.long where !isWritten:
            report.compare("long read with ATT_MTU 23", value, Plan.readValue, "512 octets")
            report.wait(for: "the long write")
            peripheral.writeValue(Plan.writeValue, for: characteristic, type: .withResponse)
        case Plan.long:
            report.compare("long write with ATT_MTU 23", value, Plan.writeValue, "512 octets written and read back")
            report.wait(for: "a notification")
            peripheral.setNotifyValue(true, for: self.characteristic(Plan.notify))
        case Plan.notify:
            report.compare("notify with ATT_MTU 23", value, Plan.notifications[0], "20 octets, the most that fit")
            report.wait(for: "Service Changed")
            peripheral.writeValue(Plan.change, for: self.characteristic(Plan.command), type: .withoutResponse)
        default:
            report.compare("Service Changed", value, Plan.lateValue, "the late service was announced, found and read")
            disconnect()
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { report.abandon("not written: \(error.localizedDescription)") }
        isWritten = true
        peripheral.readValue(for: characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let error { report.abandon("not subscribed: \(error.localizedDescription)") }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        report.note("Service Changed: \(invalidatedServices.map(\.uuid.uuidString)) are invalid")
        guard !isChanged else { return }
        isChanged = true
        report.wait(for: "the late service")
        peripheral.discoverServices([Plan.lateService])
    }
}
