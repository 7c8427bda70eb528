import BLERuntime
import CoreBluetooth
import Foundation

extension CentralClient {
    /// The timeout of a request. ATT has a timeout of 30 s (Vol 3, Part F, 3.3.3).
    private static let answerLimit = Duration.seconds(32)

    /// Waits for the state `.poweredOn`.
    ///
    /// - Throws: `noAdapter` at once if the controller cannot be used, else after `limit`.
    func powerOn(_ limit: Duration) async throws {
        if try manager.state.isOn { return }
        var limit = limit
        // A device of a world does not use the adapter of this process.
        if !clock.isVirtual, case .radio = ProcessAdapter.choice { limit = min(limit, Self.radioLimit) }
        let isOn = try await wait(limit) { event in
            guard case .state(let state) = event else { return false }
            return try state.isOn
        }
        if !isOn { throw ToolError.lateController(limit) }
    }

    /// The time for a radio that the user starts at the same moment.
    private static let radioLimit = Duration.seconds(3)

    /// Scans until the time limit, a signal, or a sighting for which `isEnough` returns true.
    func scan(
        _ limit: Duration, services: [CBUUID] = [], reportsDuplicates: Bool,
        until isEnough: @escaping @MainActor (AdvertisementEvent, CBPeripheral) throws -> Bool
    ) async throws -> Bool {
        // A controller that was lost scans no more.
        defer { if manager.isScanning { manager.stopScan() } }
        let start = {
            self.manager.scanForPeripherals(
                withServices: services.isEmpty ? nil : services,
                options: [CBCentralManagerScanOptionAllowDuplicatesKey: reportsDuplicates])
        }
        return try await wait(limit, after: start) { event in
            guard case .sighting(let sighting, let peripheral) = event else { return false }
            return try isEnough(sighting, peripheral)
        }
    }

    /// Connects to a device.
    func connect(_ peripheral: CBPeripheral, within limit: Duration) async throws {
        let name = ValueText.printable(peripheral.name ?? peripheral.identifier.uuidString)
        let isConnected = try await wait(limit, after: { connect(peripheral) }) { event in
            switch event {
            case .connected: return true
            case .connectionFailed(let error), .disconnected(let error):
                throw ToolError.lostLink("the connection to \(name) failed", error, peripheral)
            default: return false
            }
        }
        guard !isConnected else { return }
        throw ToolError(
            .timeout, "\(name) did not accept a connection within \(inSeconds(limit)).",
            "The device may be off, out of range, or connected to another central.",
            "Try: bluelab scan --name \(ShellWord.quoted(name))")
    }

    /// Sends one request to the connected device and waits for its result.
    ///
    /// - Throws: `timeout` if the device does not answer or its link is lost, `refused` or `security` if it answers with an error, and
    ///   `failed` if it disconnects.
    func request(_ what: String, _ start: () -> Void, isAnswer: @escaping @MainActor (Event) throws -> Bool)
        async throws
    {
        let isAnswered: Bool
        do {
            isAnswered = try await wait(Self.answerLimit, after: start) { event in
                if case .disconnected(let error) = event { throw self.lostLink(what, error) }
                // A lost link fails the operation, and then reports its reason.
                if let error = event.error as? CBError, self.peripheral?.state != .connected || error.isOfLostLink {
                    if self.peripheral?.state == .disconnected { throw self.lostLink(what, error) }
                    return false
                }
                return try isAnswer(event)
            }
        } catch let failure as ToolError {
            throw failure.withPairingHint(peripheral)
        }
        guard !isAnswered else { return }
        let name = ValueText.printable(peripheral?.name ?? "the device")
        throw ToolError(
            .timeout, "\(name) did not answer \(what) within \(inSeconds(Self.answerLimit)).",
            "Try: bluelab scan --name \(ShellWord.quoted(name))")
    }

    private func lostLink(_ what: String, _ error: (any Error)?) -> ToolError {
        let name = ValueText.printable(peripheral?.name ?? "the device")
        return ToolError.lostLink("\(name) disconnected during \(what)", error, peripheral)
    }

    /// Discovers all services and characteristics, and optionally their descriptors.
    func discoverAll(of peripheral: CBPeripheral, descriptors: Bool) async throws -> [CBService] {
        try await request("the discovery of services", { peripheral.discoverServices(nil) }) { event in
            guard case .services(let error) = event else { return false }
            try refuse(error, "the discovery of services")
            return true
        }
        let services = peripheral.services ?? []
        for service in services {
            let what = "the discovery of characteristics"
            try await request(what, { peripheral.discoverCharacteristics(nil, for: service) }) { event in
                guard case .characteristics(let answered, let error) = event, answered === service else { return false }
                try refuse(error, what)
                return true
            }
            for characteristic in descriptors ? service.characteristics ?? [] : [] {
                let what = "the discovery of descriptors"
                try await request(what, { peripheral.discoverDescriptors(for: characteristic) }) { event in
                    guard case .descriptors(let answered, let error) = event, answered === characteristic else {
                        return false
                    }
                    try refuse(error, what)
                    return true
                }
            }
        }
        return services
    }

    /// Reads a value.
    func read(_ characteristic: CBCharacteristic, of peripheral: CBPeripheral) async throws -> [UInt8] {
        let what = "the read of \(displayName(characteristic.uuid))"
        try await request(what, { peripheral.readValue(for: characteristic) }) { event in
            guard case .value(let answered, let error) = event, answered === characteristic else { return false }
            try refuse(error, what)
            return true
        }
        return Array(characteristic.value ?? Data())
    }

    /// Reads a descriptor's value.
    func read(_ descriptor: CBDescriptor, of peripheral: CBPeripheral) async throws {
        let what = "the read of \(displayName(descriptor.uuid))"
        try await request(what, { peripheral.readValue(for: descriptor) }) { event in
            guard case .descriptorValue(let answered, let error) = event, answered === descriptor else { return false }
            try refuse(error, what)
            return true
        }
    }
}

extension CBManagerState {
    /// Whether the controller is ready. False if it can become ready by itself.
    ///
    /// - Throws: `noAdapter` if it does not.
    var isOn: Bool {
        get throws {
            switch self {
            case .poweredOn: return true
            case .unsupported, .unauthorized: throw ToolError.unusableController
            default:
                switch (self, ControllerReport.ofProcess.latest?.kind) {
                case (.resetting, nil), (.resetting, .beingReset): return false
                // A gateway that does not answer, or a switch of the machine.
                case (.resetting, _), (.poweredOff, .blocked): throw ToolError.unusableController
                default: return false
                }
            }
        }
    }
}

/// Throws if the device answered with an error.
func refuse(_ error: (any Error)?, _ what: String) throws {
    if let error { throw ToolError.refusal(of: what, error) }
}

/// The text of an error without its full stop.
func sentence(_ error: (any Error)?) -> String {
    guard let error else { return "the link was closed" }
    let text = error.localizedDescription
    return text.hasSuffix(".") ? String(text.dropLast()) : text
}

/// A time limit in seconds.
func inSeconds(_ duration: Duration) -> String {
    let (whole, attoseconds) = duration.components
    return number(Double(whole) + Double(attoseconds) / 1e18) + " s"
}
