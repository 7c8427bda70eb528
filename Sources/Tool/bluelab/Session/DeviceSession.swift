import BluetoothPairing
import CoreBluetooth
import Foundation

/// A connection to a device over many commands. It delivers notifications at any time, and restores a lost connection with its
/// subscriptions.
@MainActor
final class DeviceSession {
    enum Link {
        case none
        case connected
        /// The device or the adapter ended the link, and the session waits for the device.
        case lost(since: ContinuousClock.Instant)
    }

    /// What the session reports between commands.
    enum Report {
        case notification(CBCharacteristic, [UInt8])
        /// The link ended. The session reconnects if `reconnects` is true.
        case lost(reason: String, reconnects: Bool)
        /// The connection with its subscriptions is back.
        case restored(after: Duration)
        /// The connection is back, but not all subscriptions are.
        case incomplete(ToolError)
        case adapterLost
    }

    let client: CentralClient
    /// Whether the session connects again after a loss.
    let reconnects: Bool
    /// Resumes waits for the state of the session, and of its user.
    let conditions: Conditions
    var report: @MainActor (Report) -> Void = { _ in }

    private(set) var link = Link.none
    private(set) var peripheral: CBPeripheral?
    /// The services of the link; nil before their discovery.
    private(set) var services: [CBService]?
    /// The devices of the last scan and of all connections, for completion.
    private(set) var seen: [AdvertisementEvent] = []
    /// The advertised name of the device that the last search found.
    private var foundName: (identifier: UUID, name: String)?
    /// The characteristics whose notifications are on, by the UUIDs of service and characteristic.
    private var subscriptions: [Subscription] = []
    /// The characteristic of the read under way, whose next value is the result.
    private var reading: CBCharacteristic?
    private var isBusy = false
    /// Whether the step under way belongs to a command, not to a reconnection.
    private var isCommand = false
    private var expectsEnd = false
    /// Whether a command pairs.
    private(set) var isPairing = false
    private var isAdapterOn = true

    private struct Subscription: Hashable {
        let service: CBUUID?
        let characteristic: CBUUID
    }

    private static let seenLimit = 256

    init(_ client: CentralClient, reconnects: Bool) {
        self.client = client
        self.reconnects = reconnects
        conditions = Conditions(client.clock)
        client.observer = { [weak self] event in self?.observe(event) }
    }

    var isConnected: Bool {
        if case .connected = link { return true }
        return false
    }

    /// The name of the device for messages: the advertised one, because scans find it.
    var deviceName: String? {
        peripheral.map { ValueText.printable(advertisedName ?? $0.name ?? shortened($0.identifier)) }
    }

    /// The name in the device's advertisement; nil if no scan received one.
    var advertisedName: String? {
        guard let identifier = peripheral?.identifier else { return nil }
        if let foundName, foundName.identifier == identifier { return foundName.name }
        return seen.first { $0.identifier == identifier }?.name
    }

    // MARK: Events

    private func observe(_ event: CentralClient.Event) {
        switch event {
        case .value(let characteristic, nil) where characteristic !== reading && characteristic.isNotifying:
            report(.notification(characteristic, Array(characteristic.value ?? Data())))
        case .sighting(let sighting, _): remember(sighting)
        case .connected: if case .lost = link { Task { await restore() } }
        case .connectionFailed: connectAgainLater()
        case .disconnected(let error): linkEnded(error)
        case .state(let state): adapterChanged(state)
        default: break
        }
        conditions.check()
    }

    private func remember(_ sighting: AdvertisementEvent) {
        if let index = seen.firstIndex(where: { $0.identifier == sighting.identifier }) {
            // A scan response can be missing from a later advertisement.
            if sighting.name != nil || seen[index].name == nil { seen[index] = sighting }
        } else if seen.count < Self.seenLimit {
            seen.append(sighting)
        }
    }

    private func linkEnded(_ error: (any Error)?) {
        services = nil
        let wasConnected = isConnected
        guard reconnects, !expectsEnd, wasConnected || isLost else {
            link = .none
            if wasConnected, !expectsEnd { report(.lost(reason: sentence(error), reconnects: false)) }
            return
        }
        if wasConnected {
            link = .lost(since: .now)
            report(.lost(reason: sentence(error), reconnects: true))
            connectAgain()
        } else {
            connectAgainLater()
        }
    }

    /// Pauses between attempts, so that a device that ends each link at once does not keep the radio busy.
    private func connectAgainLater() {
        guard isLost else { return }
        Task { [weak self] in
            try await Task.sleep(for: .seconds(1))
            guard let self, isLost, peripheral?.state == .disconnected else { return }
            connectAgain()
        }
    }

    private var isLost: Bool {
        if case .lost = link { return true }
        return false
    }

    private func adapterChanged(_ state: CBManagerState) {
        let isOn = state == .poweredOn
        guard isOn != isAdapterOn else { return }
        isAdapterOn = isOn
        if isOn {
            if isLost { connectAgain() }
            return
        }
        services = nil
        report(.adapterLost)
        if isConnected { link = reconnects ? .lost(since: .now) : .none }
    }

    /// Asks for a connection, which completes when the device is in range.
    private func connectAgain() {
        guard let peripheral, isAdapterOn else { return }
        // Objects from before a loss of the adapter are not valid afterwards.
        let known = client.manager.retrievePeripherals(withIdentifiers: [peripheral.identifier]).first ?? peripheral
        self.peripheral = known
        client.connect(known)
    }

    /// Discovers the services of the new link and subscribes again.
    private func restore() async {
        guard case .lost(let since) = link, let peripheral else { return }
        do {
            try await exclusive(isCommand: false) {
                let services = try await client.discoverAll(of: peripheral, descriptors: false)
                self.services = services
                for subscription in subscriptions {
                    guard
                        let characteristic = services.filter({ $0.uuid == subscription.service })
                            .flatMap({ $0.characteristics ?? [] })
                            .first(where: { $0.uuid == subscription.characteristic })
                    else { continue }
                    try await client.setNotifying(true, characteristic, of: peripheral)
                }
            }
            guard isLost else { return }
            link = .connected
            report(.restored(after: .now - since))
        } catch {
            // Another loss starts another reconnection.
            guard isLost, peripheral.state == .connected else { return }
            link = .connected
            report(.incomplete(error as? ToolError ?? ToolError(.failed, "\(error)")))
        }
        conditions.check()
    }

    // MARK: Commands

    /// Runs the steps of a command or of a reconnection. Only one runs at a time.
    private func exclusive<Value>(isCommand: Bool, _ steps: @MainActor () async throws -> Value) async throws -> Value {
        while isBusy { _ = try await conditions.wait(nil, isCancellable: isCommand) { !self.isBusy } }
        isBusy = true
        self.isCommand = isCommand
        defer {
            isBusy = false
            self.isCommand = false
            conditions.check()
        }
        return try await steps()
    }

    /// Ends the command under way.
    ///
    /// - Parameter isFinal: Whether later waits fail as well.
    func cancel(_ failure: ToolError, isFinal: Bool = false) {
        if isCommand { client.endStep(failure) }
        conditions.cancel(failure, isFinal: isFinal)
    }

    /// Ends reconnections. The client closes the link.
    func end() {
        expectsEnd = true
        report = { _ in }
    }

    func scan(_ limit: Duration, until isEnough: @escaping @MainActor (AdvertisementEvent, CBPeripheral) throws -> Bool)
        async throws -> Bool
    {
        try await exclusive(isCommand: true) {
            try await client.powerOn(.seconds(10))
            return try await client.scan(limit, reportsDuplicates: true, until: isEnough)
        }
    }

    /// Connects to a device. An earlier connection ends.
    ///
    /// - Returns: The time that the connection took, without the search.
    @discardableResult
    func connect(to wanted: String, within limit: Duration) async throws -> Duration {
        let found = try await exclusive(isCommand: true) {
            try await client.powerOn(limit)
            return try await DeviceQuery(wanted: wanted).locate(with: client, limit)
        }
        foundName = found.1?.name.map { (found.0.identifier, $0) }
        return try await connect(found.0, within: limit)
    }

    /// A device with a service that another manager of the adapter has connected.
    func connected(with service: CBUUID, _ limit: Duration) async throws -> CBPeripheral? {
        try await exclusive(isCommand: true) {
            try await client.powerOn(limit)
            return client.manager.retrieveConnectedPeripherals(withServices: [service]).first
        }
    }

    @discardableResult
    func connect(_ found: CBPeripheral, within limit: Duration) async throws -> Duration {
        if found === peripheral, isConnected { return .zero }
        if peripheral != nil { try await disconnect() }
        return try await exclusive(isCommand: true) {
            let start = ContinuousClock.now
            expectsEnd = false
            peripheral = found
            subscriptions = []
            services = nil
            do {
                try await client.connect(found, within: limit)
            } catch {
                client.manager.cancelPeripheralConnection(found)
                peripheral = nil
                throw error
            }
            link = .connected
            return .now - start
        }
    }

    /// Ends the link and forgets the device.
    func disconnect() async throws {
        guard let peripheral else {
            throw ToolError(.failed, "no device is connected.", "Try: connect DEVICE")
        }
        try await exclusive(isCommand: true) {
            expectsEnd = true
            let wasConnected = isConnected
            if wasConnected {
                _ = try await client.wait(
                    .seconds(5), after: { client.manager.cancelPeripheralConnection(peripheral) }
                ) { event in
                    if case .disconnected = event { return true }
                    return false
                }
            } else {
                client.manager.cancelPeripheralConnection(peripheral)
            }
            link = .none
            self.peripheral = nil
            services = nil
            subscriptions = []
        }
    }

    /// Waits until the device ends the link. Returns whether it did.
    func waitForDisconnection(_ limit: Duration) async throws -> Bool {
        if peripheral == nil { _ = try await device() }
        return try await conditions.wait(limit) { !self.isConnected }
    }

    /// The connected device. Waits for a reconnection under way.
    func device() async throws -> CBPeripheral {
        if isLost {
            let limit = Duration.seconds(10)
            let isBack = try await conditions.wait(limit) { !self.isLost }
            guard isBack else {
                throw ToolError(
                    .timeout, "\(deviceName ?? "the device") did not come back within \(inSeconds(limit)).",
                    "The session continues to wait for it.", "Try: disconnect")
            }
        }
        guard let peripheral, isConnected else {
            throw ToolError(.failed, "no device is connected.", "Try: connect DEVICE")
        }
        return peripheral
    }

    /// The services with their characteristics.
    func discover() async throws -> [CBService] {
        let peripheral = try await device()
        if let services { return services }
        return try await exclusive(isCommand: true) {
            let found = try await client.discoverAll(of: peripheral, descriptors: false)
            services = found
            return found
        }
    }

    func characteristic(_ wanted: String) async throws -> CBCharacteristic {
        try CharacteristicSearch(wanted: wanted).find(in: try await discover())
    }

    func read(_ characteristic: CBCharacteristic) async throws -> [UInt8] {
        let peripheral = try await device()
        return try await exclusive(isCommand: true) {
            reading = characteristic
            defer { reading = nil }
            return try await client.read(characteristic, of: peripheral)
        }
    }

    /// Writes a value.
    ///
    /// - Parameter response: Whether the device responds; nil: if the characteristic supports it.
    func write(_ octets: [UInt8], to characteristic: CBCharacteristic, response: Bool? = nil) async throws {
        let peripheral = try await device()
        try await exclusive(isCommand: true) {
            try await client.write(octets, to: characteristic, of: peripheral, response: response)
        }
    }

    func setNotifying(_ isOn: Bool, _ characteristic: CBCharacteristic) async throws {
        let peripheral = try await device()
        try await exclusive(isCommand: true) {
            try await client.setNotifying(isOn, characteristic, of: peripheral)
            let subscription = Subscription(
                service: characteristic.service?.uuid, characteristic: characteristic.uuid)
            subscriptions.removeAll { $0 == subscription }
            if isOn { subscriptions.append(subscription) }
        }
    }

    /// dBm.
    func rssi() async throws -> Int {
        let peripheral = try await device()
        let rssi = try await exclusive(isCommand: true) { try await client.readRSSI(of: peripheral) }
        guard let rssi else { throw ToolError(.failed, "the controller did not measure the signal strength.") }
        return rssi
    }

    /// Octets. The header of a Write Command takes 3 of them (Vol 3, Part F, 3.4.5.3).
    func mtu() async throws -> Int { try await device().maximumWriteValueLength(for: .withoutResponse) + 3 }

    func pair(_ pairing: PairingManager, minimum: PairingSecurity.Level) async throws -> PairingSecurity {
        let peripheral = try await device()
        return try await exclusive(isCommand: true) {
            isPairing = true
            defer { isPairing = false }
            return try await client.pair(peripheral, pairing, minimum: minimum)
        }
    }
}
