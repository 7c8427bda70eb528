import CoreBluetooth

/// A central's link over the characteristics of a peripheral.
final class CentralAttributeLink: TransferLink {
    private let peripheral: CBPeripheral
    private let control: CBCharacteristic
    private let data: CBCharacteristic
    private var outbox = ControlOutbox()
    /// The number of octets in the write that waits for its response.
    private var writing = 0
    private var inbox = ControlInbox()

    init(_ peripheral: CBPeripheral, control: CBCharacteristic, data: CBCharacteristic) {
        self.peripheral = peripheral
        self.control = control
        self.data = data
    }

    private var valueLimit: Int { peripheral.maximumWriteValueLength(for: .withoutResponse) }

    var maximumData: Int { valueLimit - dataHeaderCount }
    var hasSpace: Bool { peripheral.canSendWriteWithoutResponse }
    var isFlushed: Bool { outbox.isEmpty }

    func send(_ message: TransferMessage) {
        outbox.append(message)
        pump()
    }

    func sendData(at offset: Int, _ octets: Data) -> Bool {
        guard hasSpace else { return false }
        peripheral.writeValue(dataValue(at: offset, octets), for: data, type: .withoutResponse)
        return true
    }

    /// One write at a time, so that the values arrive in order.
    private func pump() {
        guard writing == 0, !outbox.isEmpty else { return }
        let value = outbox.next(valueLimit)
        writing = value.count
        peripheral.writeValue(value, for: control, type: .withResponse)
    }

    /// The peer has accepted the write.
    func written() {
        outbox.removeFirst(writing)
        writing = 0
        pump()
    }

    func received(_ value: Data, of characteristic: CBCharacteristic) -> [TransferFrame] {
        characteristic === control ? inbox.take(value) : [dataFrame(value)]
    }
}
