import BoostBLEKit
import CoreBluetooth
import Foundation

struct Failure: LocalizedError {
    let errorDescription: String?
}

/// The link to a hub: the library makes and reads messages, and leaves CoreBluetooth to the program. All of it runs on
/// the main queue.
final class HubLink: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    private enum Event {
        case found(HubType), ready, message([UInt8]), ended, failed(String)
    }

    private let (events, event) = AsyncStream.makeStream(of: Event.self)
    private var central: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var characteristic: CBCharacteristic?

    override init() {
        super.init()
        central = CBCentralManager(delegate: self, queue: .main)
    }

    /// Connects to the first hub, and subscribes to its messages. Returns its name and what the library takes it for.
    @MainActor func connect() async throws -> (String, HubType) {
        guard case .found(let type) = try await next() else { throw Failure(errorDescription: "no hub") }
        guard case .ready = try await next() else { throw Failure(errorDescription: "no characteristic") }
        return (peripheral?.name ?? "a device without a name", type)
    }

    @MainActor func send(_ command: Command?) throws {
        guard let command, let characteristic else { throw Failure(errorDescription: "the library has no command") }
        peripheral?.writeValue(command.data, for: characteristic, type: .withResponse)
    }

    /// Waits for the next message of the hub.
    @MainActor func message() async throws -> [UInt8] {
        guard case .message(let message) = try await next() else { throw Failure(errorDescription: "the link ended") }
        return message
    }

    /// Waits for the next message of the hub, which the library must know.
    @MainActor func notification() async throws -> BoostBLEKit.Notification {
        let message = try await message()
        guard let notification = BoostBLEKit.Notification(data: Data(message)) else {
            throw Failure(errorDescription: "the library does not know the message \(message)")
        }
        return notification
    }

    @MainActor func disconnect() async throws {
        central.cancelPeripheralConnection(peripheral!)
        guard case .ended = try await next() else { throw Failure(errorDescription: "a message that nothing caused") }
    }

    @MainActor private func next() async throws -> Event {
        for await event in events {
            if case .failed(let text) = event { throw Failure(errorDescription: text) }
            return event
        }
        throw CancellationError()
    }

    private func check(_ error: Error?) {
        if let error { event.yield(.failed(error.localizedDescription)) }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        central.scanForPeripherals(withServices: [CBUUID(string: GATT.serviceUuid)])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil,
            let data = advertisementData[CBAdvertisementDataManufacturerDataKey] as? Data,
            let type = HubType(manufacturerData: data)
        else { return }
        central.stopScan()
        self.peripheral = peripheral
        peripheral.delegate = self
        event.yield(.found(type))
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([CBUUID(string: GATT.serviceUuid)])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: Error?) {
        event.yield(.failed(error?.localizedDescription ?? "no connection"))
    }

    func centralManager(_ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: Error?) {
        check(error)
        event.yield(.ended)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: Error?) {
        check(error)
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([CBUUID(string: GATT.characteristicUuid)], for: service)
        }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: Error?) {
        check(error)
        characteristic = service.characteristics?.first
        if let characteristic { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic, error: Error?
    ) {
        check(error)
        event.yield(.ready)
    }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: Error?) {
        check(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: Error?) {
        check(error)
        if let value = characteristic.value { event.yield(.message(Array(value))) }
    }
}
