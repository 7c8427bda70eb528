import BLEAdapter
import BLERuntime
import BluetoothPairing
import CoreBluetooth
import Foundation

/// A central manager for commands that run in steps. Each step starts an operation and waits for its result, with a time limit.
@MainActor
final class CentralClient: NSObject {
    enum Event {
        case state(CBManagerState)
        case sighting(AdvertisementEvent, CBPeripheral)
        case connected
        case connectionFailed((any Error)?)
        case disconnected((any Error)?)
        case services((any Error)?)
        case includedServices(CBService, (any Error)?)
        case characteristics(CBService, (any Error)?)
        case descriptors(CBCharacteristic, (any Error)?)
        case value(CBCharacteristic, (any Error)?)
        case descriptorValue(CBDescriptor, (any Error)?)
        case written(CBCharacteristic, (any Error)?)
        case descriptorWritten(CBDescriptor, (any Error)?)
        case notifying(CBCharacteristic, (any Error)?)
        case readyForWriteWithoutResponse
        /// dBm.
        case rssi(Int, (any Error)?)
        case paired(Result<PairingSecurity, PairingError>)
        case unpaired(Bool)
        /// Something outside the adapter asks the current step to look: a key, or reports of a scan.
        case woken
    }

    private struct Waiting {
        let number: Int
        /// Whether the event completes the step.
        let check: @MainActor (Event) throws -> Bool
        let continuation: CheckedContinuation<Bool, any Error>
    }

    /// The time of the steps.
    let clock: StepClock
    /// The adapter of the manager, for what Apple's API does not have.
    let adapter: any BluetoothAdapter = AdapterBinding.current()
    private(set) var manager: CBCentralManager!
    private(set) var peripheral: CBPeripheral?
    /// Reports the pairings of the link; nil if the command asks for them.
    var pairing: PairingManager?
    /// Receives every event before the current step. With an observer, events between two steps are not kept for the next one.
    var observer: (@MainActor (Event) -> Void)?
    private var waiting: Waiting?
    /// Events that arrived between two steps, for the next step.
    private var pendingEvents: [Event] = []
    private var steps = 0
    /// The signal that ends the command.
    private var interruption: ToolError?
    /// Called for the signal that ends the command.
    var onInterruption: @MainActor (ToolError) -> Void = { _ in }
    private var isClosing = false
    private var hasBeenOn = false
    private var signals: TerminationSignals?

    /// The largest number of events that the client keeps between two steps.
    private static let pendingLimit = 4096

    init(clock: StepClock = .machine) {
        self.clock = clock
        super.init()
        manager = CBCentralManager(delegate: self, queue: nil)
    }

    /// Runs a command with a client. The client closes its link when the command ends or a signal interrupts it.
    static func run(_ command: @MainActor (CentralClient) async throws -> Void) async throws {
        if let session = ToolSession.current { return try await command(session.client) }
        let client = CentralClient()
        client.signals = TerminationSignals(on: .main) { [weak client] kind in
            MainActor.assumeIsolated { client?.interrupt(ToolError(kind)) }
        }
        do {
            try await command(client)
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        if let interruption = client.interruption { throw interruption }
    }

    /// Calls `start` and waits for an event.
    ///
    /// - Returns: Whether the event arrived within `limit`.
    /// - Throws: The error of `check`, the signal that ended the command, `noAdapter` if the adapter was removed, or
    ///   `CancellationError`.
    func wait(_ limit: Duration, after start: () -> Void = {}, for check: @escaping @MainActor (Event) throws -> Bool)
        async throws
        -> Bool
    {
        if !isClosing {
            if let interruption { throw interruption }
            try Task.checkCancellation()
        }
        steps += 1
        let number = steps
        let timer = clock.after(limit) { [weak self] in self?.finish(number, .success(false)) }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting = Waiting(number: number, check: check, continuation: continuation)
                clock.rest()
                start()
                for event in take(&pendingEvents) { handle(event) }
            }
        } onCancel: {
            Task { @MainActor [weak self] in self?.finish(number, .failure(CancellationError())) }
        }
    }

    private func take(_ events: inout [Event]) -> [Event] {
        defer { events = [] }
        return events
    }

    private func finish(_ number: Int, _ result: Result<Bool, any Error>) {
        guard let waiting, waiting.number == number else { return }
        self.waiting = nil
        clock.work { waiting.continuation.resume(with: result) }
    }

    private func handle(_ event: Event) {
        observer?(event)
        guard let waiting else {
            if observer == nil, pendingEvents.count < Self.pendingLimit { pendingEvents.append(event) }
            return
        }
        do {
            if case .state(let state) = event {
                let isLost = hasBeenOn && state != .poweredOn
                hasBeenOn = state == .poweredOn
                if isLost { throw ToolError.lostController }
            }
            if try waiting.check(event) { finish(waiting.number, .success(true)) }
        } catch {
            finish(waiting.number, .failure(error))
        }
    }

    /// Passes a result to the current step.
    func report(_ event: Event) { handle(event) }

    /// Ends the current step with a failure. Later steps can run.
    func endStep(_ failure: ToolError) {
        if let waiting, !isClosing { finish(waiting.number, .failure(failure)) }
    }

    /// Ends the current step. A second signal ends the program without closing the link.
    func interrupt(_ failure: ToolError) {
        guard interruption == nil else { exit(failure.kind.rawValue) }
        interruption = failure
        onInterruption(failure)
        if let waiting, !isClosing { finish(waiting.number, .failure(failure)) }
    }

    /// Disconnects, and waits up to 1 s for the end of the link.
    func close() async {
        isClosing = true
        pendingEvents = []
        if manager.isScanning { manager.stopScan() }
        if let peripheral, peripheral.state != .disconnected {
            _ = try? await wait(.seconds(1), after: { manager.cancelPeripheralConnection(peripheral) }) { event in
                if case .disconnected = event { return true }
                return false
            }
        }
        signals?.cancel()
    }

    /// Starts to connect, and keeps a reference to the peripheral.
    func connect(_ peripheral: CBPeripheral) {
        self.peripheral = peripheral
        peripheral.delegate = self
        manager.connect(peripheral)
    }
}

extension CentralClient: @preconcurrency CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) { handle(.state(central.state)) }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { handle(.sighting(AdvertisementEvent(peripheral, advertisementData, RSSI), peripheral)) }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) { handle(.connected) }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        handle(.connectionFailed(error))
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) { handle(.disconnected(error)) }
}

extension CentralClient: @preconcurrency CBPeripheralDelegate {
    func peripheralDidUpdateName(_ peripheral: CBPeripheral) { handle(.woken) }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) { handle(.services(error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) { handle(.includedServices(service, error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) { handle(.characteristics(service, error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) { handle(.descriptors(characteristic, error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { handle(.value(characteristic, error)) }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?) {
        handle(.descriptorValue(descriptor, error))
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { handle(.written(characteristic, error)) }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) { handle(.notifying(characteristic, error)) }

    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?) {
        handle(.descriptorWritten(descriptor, error))
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        handle(.rssi(RSSI.intValue, error))
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        handle(.readyForWriteWithoutResponse)
    }
}
