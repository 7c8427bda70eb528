import CoreBluetooth

/// A device as a program would write it: answers reads with offsets, takes writes whole, streams notifications.
final class Gadget: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    static let service = CBUUID(string: "FEE7")

    /// Read and written, by the delegate.
    let store = characteristic("AA01", [.read, .write], [.readable, .writeable])
    let storeContent = Locked(Data())
    /// Notifies or indicates, as configured by the client.
    let stream = characteristic("AA02", [.notify, .indicate], .readable)
    /// Never changes, served by the stack.
    let fixed = characteristic("AA03", .read, .readable, value: Data("hello".utf8))
    /// Takes write commands.
    let drain = characteristic("AA04", [.writeWithoutResponse, .write], .writeable)
    let drained = Locked<[UInt8]>([])
    /// Only indicates.
    let alarm = characteristic("AA05", .indicate, .readable)
    /// Says that it can be written, and does not permit it.
    let locked = characteristic("AA06", [.read, .write], .readable)

    let tree = CBMutableService(type: Gadget.service, primary: true)
    let recorder = PeripheralRecorder()
    let queue: DispatchQueue
    let name: String
    private(set) var manager: CBPeripheralManager!
    /// What is still to be sent with `updateValue`.
    private let pending = Locked<[Data]>([])

    init(name: String) {
        self.name = name
        queue = DispatchQueue(label: name)
        super.init()
        let label = CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "Store")
        store.descriptors = [label]
        tree.characteristics = [store, stream, fixed, drain, alarm, locked]
        manager = CBPeripheralManager(delegate: self, queue: queue)
    }

    var events: [String] { recorder.events.value }

    /// Sends values to all subscribers, waiting for room as Apple's documentation says.
    func send(_ values: [Data]) {
        pending { $0 += values }
        sendPending()
    }

    private func sendPending() {
        // In real time, the test and a callback may send at the same time.
        pending { values in
            while let next = values.first, manager.updateValue(next, for: stream, onSubscribedCentrals: nil) {
                values.removeFirst()
            }
        }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        recorder.peripheralManagerDidUpdateState(peripheral)
        guard peripheral.state == .poweredOn, !peripheral.isAdvertising else { return }
        peripheral.add(tree)
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        recorder.peripheralManager(peripheral, didAdd: service, error: error)
        guard !peripheral.isAdvertising else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [Gadget.service],
        ])
    }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        recorder.peripheralManagerDidStartAdvertising(peripheral, error: error)
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { recorder.peripheralManager(peripheral, central: central, didSubscribeTo: characteristic) }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didUnsubscribeFrom characteristic: CBCharacteristic
    ) { recorder.peripheralManager(peripheral, central: central, didUnsubscribeFrom: characteristic) }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        recorder.peripheralManagerIsReady(toUpdateSubscribers: peripheral)
        sendPending()
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        recorder.peripheralManager(peripheral, didReceiveRead: request)
        let content = storeContent.value
        guard request.offset <= content.count else {
            return peripheral.respond(to: request, withResult: .invalidOffset)
        }
        request.value = content.subdata(in: request.offset..<content.count)
        peripheral.respond(to: request, withResult: .success)
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        recorder.peripheralManager(peripheral, didReceiveWrite: requests)
        for request in requests {
            let value = request.value ?? Data()
            if request.characteristic == drain {
                drained { $0 += value }
            } else {
                storeContent { content in
                    if request.offset == 0 { content = Data() }
                    content.append(value)
                }
            }
        }
        peripheral.respond(to: requests[0], withResult: .success)
    }
}
