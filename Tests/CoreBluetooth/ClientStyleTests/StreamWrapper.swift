@preconcurrency import CoreBluetooth

/// A wrapper that converts callbacks to streams. Without a consumer the scan and the subscriptions stop.
final class StreamWrapper: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    struct Discovery: @unchecked Sendable {
        let peripheral: CBPeripheral
        let rssi: Int
    }

    private let lock = NSLock()
    private var discoveries: [UUID: AsyncStream<Discovery>.Continuation] = [:]
    private var values: [ObjectIdentifier: AsyncThrowingStream<Data, any Error>.Continuation] = [:]
    private var readiness: [CheckedContinuation<Void, Never>] = []
    private var connection: CheckedContinuation<Void, any Error>?
    private var discovery: CheckedContinuation<Void, any Error>?
    private(set) var manager: CBCentralManager!

    override init() {
        super.init()
        manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "stream wrapper"))
    }

    func ready() async {
        await withCheckedContinuation { continuation in
            let isReady = lock.withLock {
                // The state may change between two reads.
                let isReady = manager.state == .poweredOn
                if !isReady { readiness.append(continuation) }
                return isReady
            }
            if isReady { continuation.resume() }
        }
    }

    /// Everything that is seen. Any number may listen; the scan ends with the last of them.
    func scan() -> AsyncStream<Discovery> {
        AsyncStream { continuation in
            let key = UUID()
            lock.withLock { discoveries[key] = continuation }
            continuation.onTermination = { [weak self] _ in self?.forget(key) }
            manager.scanForPeripherals(
                withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        }
    }

    private func forget(_ key: UUID) {
        let isLast = lock.withLock {
            discoveries[key] = nil
            return discoveries.isEmpty
        }
        if isLast { manager.stopScan() }
    }

    func connect(_ peripheral: CBPeripheral) async throws {
        peripheral.delegate = self
        try await withCheckedThrowingContinuation { continuation in
            lock.withLock { connection = continuation }
            manager.connect(peripheral)
        }
    }

    func discover(_ service: CBUUID, _ characteristic: CBUUID, of peripheral: CBPeripheral) async throws
        -> CBCharacteristic?
    {
        try await step { peripheral.discoverServices([service]) }
        guard let found = peripheral.services?.first else { return nil }
        try await step { peripheral.discoverCharacteristics([characteristic], for: found) }
        return found.characteristics?.first
    }

    private func step(_ body: () -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            lock.withLock { discovery = continuation }
            body()
        }
    }

    /// Notifications, for as long as the stream is kept; a disconnection ends it with an error.
    func notifications(of characteristic: CBCharacteristic) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            let key = ObjectIdentifier(characteristic)
            nonisolated(unsafe) let characteristic = characteristic
            lock.withLock { values[key] = continuation }
            continuation.onTermination = { [weak self] _ in
                self?.lock.withLock { self?.values[key] = nil }
                characteristic.service?.peripheral?.setNotifyValue(false, for: characteristic)
            }
            characteristic.service?.peripheral?.setNotifyValue(true, for: characteristic)
        }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        let waiting = lock.withLock {
            defer { readiness = [] }
            return readiness
        }
        for continuation in waiting { continuation.resume() }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let all = lock.withLock { Array(discoveries.values) }
        for continuation in all { continuation.yield(Discovery(peripheral: peripheral, rssi: RSSI.intValue)) }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        lock.withLock { connection }?.resume()
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        let all = lock.withLock { Array(values.values) }
        for continuation in all { continuation.finish(throwing: error ?? CBError(.peripheralDisconnected)) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { endStep(error) }
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { endStep(error) }

    private func endStep(_ error: (any Error)?) {
        let waiting = lock.withLock { discovery }
        if let error { waiting?.resume(throwing: error) } else { waiting?.resume() }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        lock.withLock { values[ObjectIdentifier(characteristic)] }?.yield(characteristic.value ?? Data())
    }
}
