import CoreBluetooth

/// The server of the figures: many services, and characteristics that count what a client writes and send as fast as the client receives. It serves one
/// client after another.
@MainActor final class FiguresPeripheral: NSObject, @preconcurrency CBPeripheralManagerDelegate {
    private let report: Report
    private var manager: CBPeripheralManager!
    private var unpublished: [CBMutableService] = []
    /// Values of the client: all, and those with the number that was next.
    private var received: UInt32 = 0
    private var inOrder: UInt32 = 0
    /// Values for the client: sent, wanted by it, and received by it.
    private var sent: UInt32 = 0
    private var wanted: UInt32 = 0
    private var acknowledged: UInt32 = 0

    private let stream = CBMutableCharacteristic(
        type: Plan.stream, properties: .notify, value: nil, permissions: .readable)

    init(report: Report) {
        self.report = report
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: Plan.figures, primary: true)
        service.characteristics = [
            CBMutableCharacteristic(type: Plan.sample, properties: .read, value: nil, permissions: .readable),
            CBMutableCharacteristic(
                type: Plan.counted, properties: .writeWithoutResponse, value: nil, permissions: .writeable),
            CBMutableCharacteristic(type: Plan.tally, properties: .read, value: nil, permissions: .readable), stream,
            CBMutableCharacteristic(
                type: Plan.demand, properties: .writeWithoutResponse, value: nil, permissions: .writeable),
        ]
        unpublished = [service] + (1..<Plan.figuresServices).map(filler)
        publish()
    }

    private func filler(_ number: Int) -> CBMutableService {
        let service = CBMutableService(type: Plan.filler(number), primary: true)
        service.characteristics = ["2A19", "2A00"].map { uuid in
            CBMutableCharacteristic(
                type: CBUUID(string: uuid), properties: .read, value: Data([UInt8(number)]), permissions: .readable)
        }
        return service
    }

    private func publish() {
        guard unpublished.isEmpty else { return manager.add(unpublished.removeFirst()) }
        manager.startAdvertising([
            CBAdvertisementDataLocalNameKey: Plan.figuresName, CBAdvertisementDataServiceUUIDsKey: [Plan.figures],
        ])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        if let error { report.abandon("the service was not added: \(error.localizedDescription)") }
        publish()
    }

    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        if let error { report.abandon("not advertising: \(error.localizedDescription)") }
        report.note("READY")
        repeatAdvertising()
    }

    /// btvirt reports an advertisement only when it begins (see AdapterWatcher). A client that measures is left alone.
    private func repeatAdvertising() {
        DispatchQueue.main.asyncAfter(deadline: .now() + 1) { [self] in
            guard stream.subscribedCentrals?.isEmpty != false else { return repeatAdvertising() }
            manager.stopAdvertising()
            publish()
        }
    }

    // MARK: Requests

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        switch request.characteristic.uuid {
        case Plan.tally:
            request.value = received.littleEndianOctets + inOrder.littleEndianOctets
        default: request.value = Data.numbered(received)
        }
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        for request in requests {
            guard let value = request.value, let number = value.number(at: 0) else { continue }
            switch request.characteristic.uuid {
            case Plan.counted:
                received += 1
                if number == inOrder { inOrder += 1 }
            default:
                (wanted, acknowledged) = (number, value.number(at: 4) ?? 0)
                send()
            }
        }
    }

    // MARK: Values

    /// A client subscribes before each part: its values begin with 0.
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        (received, inOrder, sent, wanted, acknowledged) = (0, 0, 0, 0, 0)
        report.note("SUBSCRIBED")
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

    private func send() {
        while sent < wanted, sent < acknowledged + Plan.figuresAhead {
            guard manager.updateValue(Data.numbered(sent), for: stream, onSubscribedCentrals: nil) else { return }
            sent += 1
        }
    }
}

extension UInt32 {
    var littleEndianOctets: Data { Data((0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }) }
}

extension Data {
    /// A value of the figures: its number, and octets to fill it.
    static func numbered(_ number: UInt32) -> Data {
        number.littleEndianOctets + Data(repeating: 0x5A, count: Plan.figuresLength - 4)
    }

    /// The number in four octets; nil if they are not there.
    func number(at offset: Int) -> UInt32? {
        guard count >= offset + 4 else { return nil }
        return (0..<4).reduce(0) { $0 | UInt32(self[startIndex + offset + $1]) << (8 * $1) }
    }
}
