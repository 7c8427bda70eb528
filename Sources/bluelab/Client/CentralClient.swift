import CoreBluetooth
import Foundation

/// A central manager for commands that do one thing after another: each step starts something and waits for its answer, for a
/// limited time.
@MainActor
final class CentralClient: NSObject {
    enum Event {
        case state(CBManagerState)
        case sighting(Sighting, CBPeripheral)
        case connected
        case connectionFailed((any Error)?)
        case disconnected((any Error)?)
        case services((any Error)?)
        case characteristics(CBService, (any Error)?)
        case descriptors(CBCharacteristic, (any Error)?)
        case value(CBCharacteristic, (any Error)?)
        case descriptorValue(CBDescriptor, (any Error)?)
        case written(CBCharacteristic, (any Error)?)
        case notifying(CBCharacteristic, (any Error)?)
        case readyForWriteWithoutResponse
    }

    private struct Waiting {
        let number: Int
        /// True if the event is the one that the step waits for.
        let check: @MainActor (Event) throws -> Bool
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private(set) var manager: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    private var waiting: Waiting?
    /// Events that came between two steps, for the next one.
    private var unseen: [Event] = []
    private var steps = 0
    /// What ends the command from outside: a signal.
    private var interruption: ToolFailure?
    private var isClosing = false
    private var hasBeenOn = false
    private var signals: [any DispatchSourceSignal] = []

    /// Values of a device that are kept between two steps.
    private static let unseenLimit = 4096

    override init() {
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    /// Runs a command with a client. At its end, and at Ctrl-C, the client closes its link.
    static func run(_ command: @MainActor (CentralClient) async throws -> Void) async throws {
        let client = CentralClient()
        client.watchSignals()
        do {
            try await command(client)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        if let interruption = client.interruption { throw interruption }
    }

    /// Waits for an event after starting what leads to it.
    ///
    /// - Returns: whether it came within `limit`.
    /// - Throws: what `check` throws, the signal that ended the command, and `noAdapter` if the adapter went away.
    func wait(_ limit: Duration, after start: () -> Void = {}, for check: @escaping @MainActor (Event) throws -> Bool)
        async throws
        -> Bool
    {
        if let interruption, !isClosing { throw interruption }
        steps += 1
        let number = steps
        let timer = Task { @MainActor [weak self] in
            try await Task.sleep(for: limit)
            self?.finish(number, .success(false))
        }
        defer { timer.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            waiting = Waiting(number: number, check: check, continuation: continuation)
            start()
            for event in take(&unseen) { tell(event) }
        }
    }

    private func take(_ events: inout [Event]) -> [Event] {
        defer { events = [] }
        return events
    }

    private func finish(_ number: Int, _ result: Result<Bool, any Error>) {
        guard let waiting, waiting.number == number else { return }
        self.waiting = nil
        waiting.continuation.resume(with: result)
    }

    private func tell(_ event: Event) {
        guard let waiting else {
            if unseen.count < Self.unseenLimit { unseen.append(event) }
            return
        }
        do {
            if case .state(let state) = event {
                if state == .poweredOn { hasBeenOn = true }
                if hasBeenOn, state != .poweredOn {
                    throw ToolFailure(.noAdapter, "the Bluetooth adapter went away.", "Try: bluelab adapters")
                }
            }
            if try waiting.check(event) { finish(waiting.number, .success(true)) }
        } catch {
            finish(waiting.number, .failure(error))
        }
    }

    private func watchSignals() {
        signal(SIGPIPE, SIG_IGN)
        for (number, kind) in [
            (SIGINT, ToolFailure.Kind.interrupted), (SIGTERM, .terminated), (SIGHUP, .hungUp),
        ] {
            // A hang-up that is ignored at the start stays ignored, as nohup wants it.
            if number == SIGHUP, Interruption.isIgnored(SIGHUP) { continue }
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { [weak self] in
                MainActor.assumeIsolated { self?.interrupt(ToolFailure(kind)) }
            }
            source.resume()
            signals.append(source)
        }
    }

    /// Ends the running step. A second signal does not wait for the end of the link.
    private func interrupt(_ failure: ToolFailure) {
        guard interruption == nil else { exit(failure.kind.rawValue) }
        interruption = failure
        if let waiting, !isClosing { finish(waiting.number, .failure(failure)) }
    }

    /// Ends the link, if there is one, and waits a moment for its end.
    private func close() async {
        isClosing = true
        unseen = []
        if manager.isScanning { manager.stopScan() }
        if let peripheral, peripheral.state != .disconnected {
            _ = try? await wait(.seconds(1), after: { manager.cancelPeripheralConnection(peripheral) }) { event in
                if case .disconnected = event { return true }
                return false
            }
        }
        for source in signals { source.cancel() }
    }

    /// Starts to connect. The client holds the peripheral from now on.
    func connect(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
        peripheral.delegate = self
        manager.connect(peripheral)
    }
}

extension CentralClient: @preconcurrency CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) { tell(.state(central.state)) }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { tell(.sighting(Sighting(peripheral, advertisementData, RSSI), peripheral)) }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { tell(.connected) }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        tell(.connectionFailed(error))
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { tell(.disconnected(error)) }
}

extension CentralClient: @preconcurrency CBPeripheralDelegate {
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { tell(.services(error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { tell(.characteristics(service, error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { tell(.descriptors(characteristic, error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { tell(.value(characteristic, error)) }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        tell(.descriptorValue(descriptor, error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { tell(.written(characteristic, error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { tell(.notifying(characteristic, error)) }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        tell(.readyForWriteWithoutResponse)
    }
}
