import Combine
import CoreBluetooth

/// A client in the style of Combine libraries: a subject for each delegate method, and operations put together from them.
final class CombineClient: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    typealias Update = (characteristic: CBCharacteristic, error: (any Error)?)

    let didUpdateState = PassthroughSubject<CBManagerState, Never>()
    let didDiscover = PassthroughSubject<CBPeripheral, Never>()
    let didConnect = PassthroughSubject<CBPeripheral, Never>()
    let didFail = PassthroughSubject<(CBPeripheral, (any Error)?), Never>()
    let didDiscoverServices = PassthroughSubject<(any Error)?, Never>()
    let didDiscoverCharacteristics = PassthroughSubject<(CBService, (any Error)?), Never>()
    let didUpdateValue = PassthroughSubject<Update, Never>()
    let didWrite = PassthroughSubject<Update, Never>()
    let didChangeNotifying = PassthroughSubject<Update, Never>()
    private(set) var manager: CBCentralManager!
    /// Kept, since a connection ends with the last reference to its device.
    private var kept: Set<CBPeripheral> = []

    init(queue: DispatchQueue) {
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    /// Fires once, when the radio is on.
    var ready: AnyPublisher<Void, any Error> {
        didUpdateState.prepend(manager.state).first { $0 == .poweredOn }.map { _ in }
            .setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }

    /// The first device with the service. The scan ends with the subscription.
    func find(_ service: CBUUID) -> AnyPublisher<CBPeripheral, any Error> {
        didDiscover.first()
            .handleEvents(
                receiveSubscription: { [weak self] _ in self?.manager.scanForPeripherals(withServices: [service]) },
                receiveCompletion: { [weak self] _ in self?.manager.stopScan() },
                receiveCancel: { [weak self] in self?.manager.stopScan() }
            )
            .setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }

    /// The device once it is connected, or how that failed.
    func connect(_ peripheral: CBPeripheral) -> AnyPublisher<CBPeripheral, any Error> {
        let success = didConnect.filter { $0 == peripheral }.setFailureType(to: (any Error).self)
        let failure = didFail.filter { $0.0 == peripheral }.tryMap { _, error -> CBPeripheral in
            throw error ?? CBError(.connectionFailed)
        }
        return success.merge(with: failure).first()
            .handleEvents(receiveSubscription: { [weak self] _ in
                self?.kept.insert(peripheral)
                peripheral.delegate = self
                self?.manager.connect(peripheral)
            }).eraseToAnyPublisher()
    }

    func characteristic(
        _ uuid: CBUUID, of service: CBUUID, on peripheral: CBPeripheral
    ) -> AnyPublisher<CBCharacteristic, any Error> {
        let services = didDiscoverServices.first().tryMap { error -> CBService in
            if let error { throw error }
            guard let found = peripheral.services?.first(where: { $0.uuid == service }) else {
                throw CBATTError(.attributeNotFound)
            }
            return found
        }.handleEvents(receiveSubscription: { _ in peripheral.discoverServices([service]) })
        return services.flatMap { [didDiscoverCharacteristics] service in
            didDiscoverCharacteristics.first { $0.0 == service }.tryMap { service, error -> CBCharacteristic in
                if let error { throw error }
                guard let found = service.characteristics?.first(where: { $0.uuid == uuid }) else {
                    throw CBATTError(.attributeNotFound)
                }
                return found
            }.handleEvents(receiveSubscription: { _ in peripheral.discoverCharacteristics([uuid], for: service) })
        }.eraseToAnyPublisher()
    }

    func write(_ value: Data, to characteristic: CBCharacteristic) -> AnyPublisher<CBCharacteristic, any Error> {
        didWrite.first { $0.characteristic == characteristic }.tryMap { update in
            if let error = update.error { throw error }
            return update.characteristic
        }.handleEvents(receiveSubscription: { _ in
            characteristic.service?.peripheral?.writeValue(value, for: characteristic, type: .withResponse)
        }).eraseToAnyPublisher()
    }

    func read(_ characteristic: CBCharacteristic) -> AnyPublisher<Data, any Error> {
        didUpdateValue.first { $0.characteristic == characteristic }.tryMap { update in
            if let error = update.error { throw error }
            return update.characteristic.value ?? Data()
        }.handleEvents(receiveSubscription: { _ in
            characteristic.service?.peripheral?.readValue(for: characteristic)
        }).eraseToAnyPublisher()
    }

    /// Values as long as somebody listens; all listeners share one subscription at the peer.
    func notifications(of characteristic: CBCharacteristic) -> AnyPublisher<Data, Never> {
        didUpdateValue.filter { $0.characteristic == characteristic }.compactMap(\.characteristic.value)
            .handleEvents(
                receiveSubscription: { _ in
                    characteristic.service?.peripheral?.setNotifyValue(true, for: characteristic)
                },
                receiveCancel: {
                    characteristic.service?.peripheral?.setNotifyValue(false, for: characteristic)
                }
            ).share().eraseToAnyPublisher()
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) { didUpdateState.send(central.state) }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { didDiscover.send(peripheral) }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        didConnect.send(peripheral)
    }
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { didFail.send((peripheral, error)) }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { didFail.send((peripheral, error)) }
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        didDiscoverServices.send(error)
    }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { didDiscoverCharacteristics.send((service, error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { didUpdateValue.send((characteristic, error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { didWrite.send((characteristic, error)) }
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { didChangeNotifying.send((characteristic, error)) }
}
