import CoreBluetooth

/// A device that receives 24,000 octets, checks every one of them, and notifies the result.
final class CheckingGadget: NSObject, CBPeripheralManagerDelegate {
    static var service: CBUUID { CBUUID(string: "FF10") }

    var log: (String) -> Void = { print($0) }
    var expected = 24_000
    var partLength = 20

    private let queue: DispatchQueue?
    private var manager: CBPeripheralManager!
    private let characteristic = CBMutableCharacteristic(
        type: CBUUID(string: "FF11"), properties: [.write, .writeWithoutResponse, .notify], value: nil,
        permissions: .writeable)
    private var received = Data()

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBPeripheralManager(delegate: self, queue: queue) }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [characteristic]
        peripheral.removeAllServices()
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Checker", CBAdvertisementDataServiceUUIDsKey: [Self.service],
        ])
    }

    // lesson: check
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests { received.append(request.value ?? Data()) }
        if let first = requests.first { peripheral.respond(to: first, withResult: .success) }
        guard received.count >= expected else { return }
        // Length and content decide, not the number of packets.
        let isIntact = received.enumerated().allSatisfy { index, octet in
            octet == UInt8(truncatingIfNeeded: index / partLength + index % partLength)
        }
        let result = "\(received.count) octets, \(isIntact ? "all correct" : "damaged")"
        log(result)
        received = Data()
        if !peripheral.updateValue(Data(result.utf8), for: characteristic, onSubscribedCentrals: nil) {
            log("the result was not notified")
        }
    }
    // lesson: end
}
