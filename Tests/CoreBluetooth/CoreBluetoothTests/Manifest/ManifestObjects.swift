import BLEAdapter
import BLEWire
import CoreBluetooth
import Testing

/// One object of each class that a delegate's method may be called with, made the way programs come by it.
struct ManifestObjects {
    let central = CentralBench()
    let peripheral = PeripheralBench()
    let device: CBPeripheral
    let service: CBService
    let characteristic: CBCharacteristic
    let descriptor: CBDescriptor
    let client: CBCentral
    let request: CBATTRequest

    init() throws {
        device = try #require(central.discover())
        descriptor = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "text")
        let value = CoreBluetoothTests.characteristic("AA01")
        characteristic = value
        let tree = CoreBluetoothTests.service("FEE7", [value])
        service = tree
        let reference = CharacteristicReference(service: peripheral.publish(tree), index: 0)
        peripheral.emit { $0.subscribed(PeripheralBench.client, to: reference) }
        client = try #require(peripheral.recorder.centrals.value.first)
        peripheral.emit {
            $0.receivedRead(RequestIdentifier(rawValue: 1), of: reference, offset: 0, from: PeripheralBench.client)
        }
        request = try #require(peripheral.recorder.reads.value.first)
    }
}

/// Managers made in `body` need no controller.
func withFakeAdapter<Result>(_ body: () throws -> Result) rethrows -> Result {
    try AdapterBinding.$scoped.withValue(FakeAdapter()) { try body() }
}
