import CoreBluetooth
import Foundation

extension CentralClient {
    /// The timeout of a request. ATT has a timeout of 30 s (Vol 3, Part F, 3.3.3).
    private static let answerLimit = Duration.seconds(32)

    /// Waits for the state `.poweredOn`.
    func powerOn(_ limit: Duration) async throws {
        if manager.state == .poweredOn { return }
        let isOn = try await wait(limit) { event in
            guard case .state(let state) = event else { return false }
            switch state {
            case .poweredOn: return true
            case .unsupported:
                throw ToolFailure(
                    .noAdapter, "this machine has no usable Bluetooth adapter.", "Try: bluelab adapters")
            case .unauthorized:
                throw ToolFailure(
                    .noAdapter, "this program lacks the privilege to use the Bluetooth adapter.",
                    "Try: sudo setcap 'cap_net_admin,cap_net_raw+eip' \(CommandLine.arguments[0])")
            default: return false
            }
        }
        if isOn { return }
        throw ToolFailure(
            .noAdapter, "the Bluetooth adapter was not powered on within \(inSeconds(limit)).",
            "Try: bluelab adapters. If BLUETOOTH_CONTROLLER is radio, start bluelab radio first.")
    }

    /// Scans until the time limit, a signal, or a sighting for which `isEnough` returns true.
    func scan(
        _ limit: Duration, services: [CBUUID] = [], reportsDuplicates: Bool,
        until isEnough: @escaping @MainActor (Sighting, CBPeripheral) throws -> Bool
    ) async throws -> Bool {
        defer { manager.stopScan() }
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
                throw ToolFailure(
                    .failed, "the connection to \(name) failed: \(sentence(error)).",
                    "Try: bluelab scan --name \"\(name)\"")
            default: return false
            }
        }
        guard !isConnected else { return }
        throw ToolFailure(
            .timeout, "\(name) did not accept a connection within \(inSeconds(limit)).",
            "The device may be off, out of range, or connected to another central.",
            "Try: bluelab scan --name \"\(name)\"")
    }

    /// Sends one request to the connected device and waits for its result.
    func request(_ what: String, _ start: () -> Void, isAnswer: @escaping @MainActor (Event) throws -> Bool)
        async throws
    {
        let isAnswered = try await wait(Self.answerLimit, after: start) { event in
            if case .disconnected(let error) = event {
                throw ToolFailure(
                    .failed, "the device disconnected during \(what): \(sentence(error)).", "Try: bluelab scan")
            }
            return try isAnswer(event)
        }
        if !isAnswered {
            throw ToolFailure(.timeout, "the device did not answer \(what) within \(inSeconds(Self.answerLimit)).")
        }
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

extension ToolFailure {
    /// The failure for a device that answered `what` with an error.
    static func refusal(of what: String, _ error: any Error) -> ToolFailure {
        let securityCodes: [CBATTError.Code] = [
            .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .insufficientEncryptionKeySize,
        ]
        let isSecurity = (error as? CBATTError).map { securityCodes.contains($0.code) } ?? false
        // The profile of the service defines these codes (Vol 3, Part F, 3.4.1.1).
        let code = (error as? CBATTError)?.code.rawValue ?? 0
        let reason =
            (0x80...0x9F).contains(code)
            ? "application error " + String(code, radix: 16, uppercase: true) : sentence(error)
        return ToolFailure(isSecurity ? .security : .refused, "the device refused \(what): \(reason).")
    }
}

/// Throws if the device answered with an error.
private func refuse(_ error: (any Error)?, _ what: String) throws {
    if let error { throw ToolFailure.refusal(of: what, error) }
}

/// The text of an error without its full stop.
private func sentence(_ error: (any Error)?) -> String {
    guard let error else { return "the link was closed" }
    let text = error.localizedDescription
    return text.hasSuffix(".") ? String(text.dropLast()) : text
}

/// A time limit in seconds.
func inSeconds(_ duration: Duration) -> String {
    let (whole, attoseconds) = duration.components
    return number(Double(whole) + Double(attoseconds) / 1e18) + " s"
}
