import CoreBluetooth

/// A peripheral's link over its characteristics to one central.
final class PeripheralAttributeLink: TransferLink {
    let central: CBCentral
    private let manager: CBPeripheralManager
    private let control: CBMutableCharacteristic
    private let data: CBMutableCharacteristic
    private var outbox = ControlOutbox()
    private var inbox = ControlInbox()
    /// False after the manager refused a value, until it is ready.
    private(set) var hasSpace = true

    init(
        _ central: CBCentral, _ manager: CBPeripheralManager, control: CBMutableCharacteristic,
        data: CBMutableCharacteristic
    ) {
        self.central = central
        self.manager = manager
        self.control = control
        self.data = data
    }

    var maximumData: Int { central.maximumUpdateValueLength - dataHeaderCount }
    var isFlushed: Bool { outbox.isEmpty }

    func send(_ message: TransferMessage) {
        outbox.append(message)
        pump()
    }

    func sendData(at offset: Int, _ octets: Data) -> Bool {
        guard outbox.isEmpty, hasSpace else { return false }
        hasSpace = manager.updateValue(dataValue(at: offset, octets), for: data, onSubscribedCentrals: [central])
        return hasSpace
    }

    private func pump() {
        while hasSpace, !outbox.isEmpty {
            let value = outbox.next(central.maximumUpdateValueLength)
            hasSpace = manager.updateValue(value, for: control, onSubscribedCentrals: [central])
            if hasSpace { outbox.removeFirst(value.count) }
        }
    }

    /// The manager has space again.
    func ready() {
        hasSpace = true
        pump()
    }

    func received(control value: Data) -> [TransferFrame] { inbox.take(value) }
}
